import { usePages } from '../../live/pages.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Card } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { plainText } from '../../words/plain-text.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

const PAGE_SIZE = '20';

interface NodeEvent {
  readonly _id: string;
  readonly at: string;
  readonly node: string;
  readonly kind: keyof typeof LOOKS;
  readonly by?: string | null;
  readonly detail?: Readonly<Record<string, unknown>> | null;
}

const LOOKS: Readonly<
  Record<'joined' | 'left' | 'lost' | 'recovered' | 'drained' | 'resumed', readonly [Tone, string]>
> = {
  joined: ['good', '■'],
  left: ['quiet', '□'],
  lost: ['bad', '✖'],
  recovered: ['info', '↻'],
  drained: ['warn', '‖'],
  resumed: ['good', '▶'],
};

/** Who joined, left, was lost and taken over, the latest first. */
export function Events() {
  const t = useWords(words);
  const events = usePages<NodeEvent>({
    key: ['node', 'events'],
    path: 'cluster/event',
    parameters: { _queryFilter: 'true', _sortKeys: '-_id', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<NodeEvent>[] = [
    { id: 'at', title: t.at, cell: ({ at }) => <Moment at={at} />, width: '16rem' },
    { id: 'node', title: t.node, cell: ({ node }) => node, width: '12rem' },
    {
      id: 'kind',
      title: t.happened,
      cell: ({ kind }) => (
        <Badge tone={LOOKS[kind][0]} mark={LOOKS[kind][1]}>
          {t.kinds[kind]}
        </Badge>
      ),
      width: '9rem',
    },
    { id: 'by', title: t.by, cell: ({ by }) => by ?? '', width: '9rem' },
    { id: 'detail', title: t.detail, cell: ({ detail }) => toldOf(detail), width: 'minmax(10rem, 1fr)' },
  ];
  return (
    <Card title={t.events}>
      <PageList
        of={events}
        empty={<p className="soft">{t.noEvents}</p>}
        label={t.events}
        columns={columns}
        maxHeight="24rem"
      />
    </Card>
  );
}

function toldOf(detail: NodeEvent['detail']): string {
  return Object.entries(detail ?? {})
    .map(([name, value]) => `${name} ${plainText(value)}`)
    .join(', ');
}
