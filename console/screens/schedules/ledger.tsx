import { type Filter, filter } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Moment, Took } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { type Firing, OutcomeBadge } from './schedule.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

/** What has become of each planned time: of one schedule, or of all that fit a filter. */
export function Ledger({
  of,
  text = '',
  onFilter,
  onOpen,
}: {
  readonly of?: string;
  readonly text?: string;
  readonly onFilter?: (text: string) => void;
  readonly onOpen: (firing: Firing) => void;
}) {
  const t = useWords(words);
  const one: Filter | undefined = of === undefined ? undefined : filter`schedule eq ${of}`;
  const ledger = usePages<Firing>({
    key: ['firing', 'ledger', of ?? ''],
    path: 'scheduler/firing',
    parameters: {
      _queryFilter: one?.text ?? (text === '' ? 'true' : text),
      _sortKeys: '-plannedAt',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Firing>[] = [
    {
      id: 'planned',
      title: t.plannedAt,
      cell: ({ plannedAt }) => <Moment at={plannedAt} />,
      width: '16rem',
    },
    ...(of === undefined
      ? [
          {
            id: 'schedule',
            title: t.schedule,
            cell: ({ schedule }: Firing) => schedule,
            width: '9rem',
          },
        ]
      : []),
    {
      id: 'outcome',
      title: t.outcome,
      cell: (row) => <OutcomeBadge firing={row} />,
      width: '12rem',
    },
    { id: 'late', title: t.late, cell: ({ lateMs }) => <Took ms={lateMs} />, width: '5.5rem' },
    { id: 'took', title: t.took, cell: ({ tookMs }) => <Took ms={tookMs} />, width: '5.5rem' },
    { id: 'node', title: t.node, cell: ({ node }) => node, width: '8rem' },
    { id: 'error', title: t.error, cell: ({ error }) => errorText(error), width: 'minmax(12rem, 1fr)' },
  ];
  return (
    <PageList
      of={ledger}
      {...(onFilter === undefined
        ? {}
        : { filter: { label: t.filter, hint: t.ledgerHint, value: text, onFilter } })}
      empty={<p className="soft">{of === undefined ? t.noneInLedger : t.noFirings}</p>}
      label={t.ledger}
      columns={columns}
      onOpen={onOpen}
      maxHeight="34rem"
    />
  );
}

function errorText(error: Firing['error']): string {
  if (error === null) return '';
  return typeof error === 'string'
    ? error
    : [error.at, error.message].filter((part) => part !== undefined).join(' ');
}
