import { useMutation } from '@tanstack/react-query';
import type { JsonObject } from '#client/index.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Card, Empty } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { type DeclaredProperty, typesIn } from './system.ts';
import { words } from './words.ts';

type Types = Readonly<Record<string, readonly DeclaredProperty[]>>;

/** What the file of a system declares, and beside it what the system says of itself when it is asked. */
export function SchemaTab({ name, types }: { readonly name: string; readonly types: Types }) {
  const t = useWords(words);
  const ask = useMutation({
    mutationFn: () =>
      client.send<JsonObject>({
        method: 'POST',
        path: ['system', name],
        parameters: { _action: 'schema' },
        body: {},
      }),
  });
  const natives = new Set(
    Object.values(types).flatMap((properties) => properties.map(({ nativeName }) => nativeName)),
  );
  return (
    <div className="stack">
      <h2>{t.known}</h2>
      {Object.keys(types).length === 0 ? <Empty icon="types" title={t.noTypes} /> : null}
      {Object.entries(types).map(([type, properties]) => (
        <Properties key={type} title={type} of={properties} />
      ))}
      <div className="row">
        <h2 className="grow">{t.described}</h2>
        <Button onPress={() => ask.mutate()} isPending={ask.isPending}>
          {t.askSchema}
        </Button>
      </div>
      {ask.error === null ? null : <ErrorNote error={ask.error} />}
      {Object.entries(typesIn(ask.data?.['objectTypes'])).map(([type, properties]) => (
        <Properties key={type} title={`${type} (${name})`} of={properties} declared={natives} />
      ))}
    </div>
  );
}

function Properties({
  title,
  of,
  declared,
}: {
  readonly title: string;
  readonly of: readonly DeclaredProperty[];
  /** Which of them the file knows, where that is of interest. */
  readonly declared?: ReadonlySet<string>;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const columns: readonly Column<DeclaredProperty>[] = [
    { id: 'name', title: t.property, cell: ({ name }) => name, width: 'minmax(11rem, 1fr)' },
    { id: 'type', title: t.type, cell: ({ type }) => type, width: '10rem' },
    {
      id: 'native',
      title: t.native,
      cell: ({ nativeName }) => <code>{nativeName}</code>,
      width: 'minmax(11rem, 1fr)',
    },
    {
      id: 'required',
      title: t.required,
      cell: ({ isRequired }) => (isRequired ? c.yes : ''),
      width: '7rem',
    },
    ...(declared === undefined
      ? []
      : [
          {
            id: 'declared',
            title: t.declared,
            cell: ({ nativeName }: DeclaredProperty) => (declared.has(nativeName) ? c.yes : ''),
            width: '8rem',
          },
        ]),
    { id: 'flags', title: t.flags, cell: ({ flags }) => flags.join(', '), width: '18rem' },
  ];
  return (
    <Card title={title}>
      <Table label={title} columns={columns} rows={of} idOf={({ name }) => name} maxHeight="30rem" />
    </Card>
  );
}
