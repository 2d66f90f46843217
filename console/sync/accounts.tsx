import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SvcError } from '#client/index.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Card, Loaded } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { client } from '../session/client.ts';
import { useWords } from '../words/words.ts';
import { useReview } from '../write/review.tsx';
import { ResourceLink } from './resource-link.tsx';
import { words } from './words.ts';

/** Why an object has, or has not, what a mapping gives it, as `/sync/why` says it. */
interface Told {
  readonly mapping: string;
  readonly role: 'source' | 'target';
  readonly linkQualifier?: string;
  readonly source?: string | null;
  readonly target?: string | null;
  readonly linked?: boolean;
  readonly outcome: string;
  readonly why: string;
  readonly situation?: string | null;
  readonly action?: string | null;
  readonly at?: string;
  readonly transactionId?: string | null;
  readonly queue?: { readonly state: string; readonly attempt: number; readonly dueAt: string };
  readonly attributes?: readonly Attribute[];
}

interface Attribute {
  readonly attribute: string;
  readonly rule?: string;
  readonly source?: string;
}

const OUTCOMES: Readonly<Record<string, readonly [Tone, string]>> = {
  delivered: ['good', '✓'],
  failed: ['bad', '✗'],
  none: ['quiet', '○'],
};

/**
 * What mappings bring to an object and from it: with what it is linked, and why.
 *
 * @param resource such as `managed/user/avo`
 * @param topic of the queries, so that it is up to date when the object changes
 */
export function Accounts({ resource, topic }: { readonly resource: string; readonly topic: string }) {
  const t = useWords(words);
  const told = useQuery({
    queryKey: [topic, 'why', resource],
    queryFn: async () => {
      try {
        return await client.send<{ readonly mappings: readonly Told[] }>({
          method: 'GET',
          path: ['sync', 'why'],
          parameters: { resource },
        });
      } catch (error) {
        if (error instanceof SvcError && error.id === 'SYNC_BAD_QUESTION') return { mappings: [] };
        throw error;
      }
    },
    retry: false,
  });
  return (
    <Loaded of={told}>
      {({ mappings }) =>
        mappings.length === 0 ? (
          <p className="soft">{t.none}</p>
        ) : (
          <div className="stack">
            {mappings.map((one) => (
              <Account
                key={`${one.mapping} ${one.role} ${one.linkQualifier ?? ''}`}
                told={one}
                resource={resource}
                topic={topic}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Account({
  told,
  resource,
  topic,
}: {
  readonly told: Told;
  readonly resource: string;
  readonly topic: string;
}) {
  const t = useWords(words);
  const review = useReview();
  const { mapping, role, outcome, why, queue, linked, attributes = [] } = told;
  const [tone, mark] = OUTCOMES[outcome] ?? ['quiet', '○'];
  const said = { delivered: t.delivered, failed: t.failed, none: t.nothing }[outcome] ?? t.unknown;
  const other = role === 'source' ? told.target : told.source;
  const [room, first = '', ...rest] = resource.split('/');
  const deliver = () =>
    void review({
      title: t.deliverTitle(resource),
      done: t.deliverDone,
      call: {
        method: 'POST',
        path: ['sync'],
        parameters: {
          _action: 'notifyUpdate',
          resourceContainer: `${room}/${first}`,
          resourceId: rest.join('/'),
        },
        body: {},
      },
      touches: [topic, 'audit'],
    });
  return (
    <Card
      title={mapping}
      actions={
        role === 'source' && room === 'managed' ? <Button onPress={deliver}>{t.deliver}</Button> : null
      }
    >
      <div className="stack">
        <p className="row">
          <Badge tone={tone} mark={mark}>
            {said}
          </Badge>
          {linked === undefined ? null : (
            <Badge tone={linked ? 'info' : 'quiet'} mark={linked ? '⇄' : '○'}>
              {linked ? t.linked : t.notLinked}
            </Badge>
          )}
          {queue === undefined ? null : (
            <Badge tone={queue.state === 'dead' ? 'bad' : 'warn'} mark="◌">
              {queue.state === 'dead' ? t.dead : queue.state === 'held' ? t.held : t.waiting}
            </Badge>
          )}
          {queue === undefined ? null : (
            <span className="soft">
              {t.dueAt} <Ago at={queue.dueAt} />
            </span>
          )}
          <Link to={`/mappings/${encodeURIComponent(mapping)}`}>{mapping}</Link>
        </p>
        <p>{why}</p>
        <Facts of={factsOf(told, t, other)} />
        {attributes.length === 0 ? null : <Values of={attributes} />}
      </div>
    </Card>
  );
}

function factsOf(
  { role, linkQualifier, situation, action, at, transactionId }: Told,
  t: typeof words.en,
  other: string | null | undefined,
): readonly Fact[] {
  const isSaid = (value: string | null | undefined): value is string => value !== null && value !== undefined;
  return [
    ...(isSaid(other)
      ? [{ title: role === 'source' ? t.source : t.target, value: <ResourceLink of={other} /> }]
      : []),
    ...(isSaid(situation) ? [{ title: t.situation, value: <code>{situation}</code> }] : []),
    ...(isSaid(action) ? [{ title: t.action, value: <code>{action}</code> }] : []),
    ...(isSaid(at) ? [{ title: t.at, value: <Moment at={at} /> }] : []),
    ...(isSaid(linkQualifier) && linkQualifier !== 'default'
      ? [{ title: t.qualifier, value: linkQualifier }]
      : []),
    ...(isSaid(transactionId)
      ? [
          {
            title: t.request,
            value: <Link to={`/audit/${encodeURIComponent(transactionId)}`}>{transactionId}</Link>,
          },
        ]
      : []),
  ];
}

function Values({ of }: { readonly of: readonly Attribute[] }) {
  const t = useWords(words);
  const columns: readonly Column<Attribute>[] = [
    {
      id: 'attribute',
      title: t.attribute,
      cell: ({ attribute }) => <code>{attribute}</code>,
      width: 'minmax(10rem, 1fr)',
    },
    { id: 'rule', title: t.rule, cell: ({ rule = '' }) => rule, width: 'minmax(10rem, 1fr)' },
    { id: 'source', title: t.from, cell: ({ source = '' }) => <code>{source}</code>, width: '14rem' },
  ];
  return (
    <Table
      label={t.values}
      columns={columns}
      rows={of}
      idOf={({ attribute }) => attribute}
      maxHeight="none"
    />
  );
}
