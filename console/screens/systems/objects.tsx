import { usePages } from '../../live/pages.ts';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { Select } from '../../parts/select.tsx';
import type { Column } from '../../parts/table.tsx';
import { useWords } from '../../words/words.ts';
import { addressOf, type SystemSearch } from './routes.ts';
import type { DeclaredProperty, System } from './system.ts';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const FIRST_COLUMNS = 6;
const HIDDEN = new Set(['NOT_READABLE', 'NOT_RETURNED_BY_DEFAULT']);

type Row = { readonly _id: string } & Readonly<Record<string, unknown>>;
type Types = Readonly<Record<string, readonly DeclaredProperty[]>>;

/** Objects of a system, as it has them at this moment: kind by kind, page by page. */
export function Objects({
  system,
  types,
  search,
  onGo,
}: {
  readonly system: System;
  readonly types: Types;
  readonly search: SystemSearch;
  readonly onGo: (change: SystemSearch) => void;
}) {
  const t = useWords(words);
  const names = Object.keys(types);
  const at = names.find((name) => name === search.type) ?? names[0];
  if (at === undefined) return <Empty icon="systems" title={t.noTypes} />;
  return (
    <div className="stack">
      {names.length === 1 ? null : (
        <Select
          label={t.kind}
          value={at}
          choices={names.map((name) => ({ id: name, title: name }))}
          onChange={(type) => onGo({ type, filter: '' })}
        />
      )}
      <OfType
        key={at}
        system={system}
        type={at}
        properties={types[at] ?? []}
        filter={search.filter ?? ''}
        onFilter={(filter) => onGo({ filter })}
      />
    </div>
  );
}

function OfType({
  system: { _id: name },
  type,
  properties,
  filter,
  onFilter,
}: {
  readonly system: System;
  readonly type: string;
  readonly properties: readonly DeclaredProperty[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}) {
  const t = useWords(words);
  const list = usePages<Row>({
    key: ['system', name, type],
    path: `system/${name}/${type}`,
    parameters: { _queryFilter: filter === '' ? 'true' : filter, _pageSize: PAGE_SIZE },
  });
  const shown = properties.filter(({ flags }) => !flags.some((flag) => HIDDEN.has(flag)));
  const columns: readonly Column<Row>[] = [
    { id: '_id', title: '_id', cell: ({ _id }) => _id, width: 'minmax(10rem, 1fr)' },
    ...shown.slice(0, FIRST_COLUMNS).map(
      (property): Column<Row> => ({
        id: property.name,
        title: property.name,
        cell: (row) => cellText(row[property.name]),
        width: 'minmax(9rem, 1fr)',
      }),
    ),
  ];
  return (
    <PageList
      of={list}
      filter={{ label: t.filter, hint: t.filterHint, value: filter, onFilter }}
      empty={<Empty icon="objects" title={filter === '' ? t.noObjects : t.noHits} />}
      label={type}
      columns={columns}
      linkOf={({ _id }) => `${addressOf(name)}/${encodeURIComponent(type)}/${encodeURIComponent(_id)}`}
    />
  );
}

export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
