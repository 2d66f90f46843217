import { useNavigate } from '@tanstack/react-router';
import { filter as filterOf } from '#client/index.ts';
import { usePages } from '../../live/pages.ts';
import { OperationNote } from '../../operation/operation-note.tsx';
import { MANY, useOperation } from '../../operation/use-operation.ts';
import { and } from '../../parts/filters.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { useGrants } from '../../session/grants.ts';
import { useWords } from '../../words/words.ts';
import { CountedEntries } from './counted.tsx';
import { type Entry, Outcome, objectOf, requestOf } from './entry.tsx';
import { type ListSearch, listRoute } from './routes.ts';
import { type Stretch, spanOf, stepAt, stepOf } from './span.ts';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const ALL = 'all';
/** What an entry of the list says, which is also what a row of a file has. */
const SAID = [
  ...['topic', 'timestamp', 'userId', 'objectId', 'operation', 'status', 'result', 'changedFields'],
  'transactionId',
];
const TOPICS = ['activity', 'access', 'authentication', 'config'] as const;

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const { filter } = search;
  // Each look at the console is a request, too.
  const topic = search.topic === ALL ? undefined : (search.topic ?? 'activity');
  const go = (change: ListSearch) =>
    void navigate({ to: '/audit', search: { ...search, ...change }, replace: true });
  const parts = [
    ...(topic === undefined ? [] : [filterOf`topic eq ${topic}`.text]),
    ...(filter === undefined ? [] : [topic === undefined ? filter : `(${filter})`]),
  ];
  const fits = parts.length === 0 ? 'true' : parts.join(' and ');
  const span = spanOf(search.span);
  const step = stepOf(search.step);
  const shown = step === undefined ? fits : and(fits, within(stepAt(span, step)));
  const operation = useOperation();
  const mayWrite = useGrants([MANY]).may(MANY);
  const write = (format: string) =>
    void operation.begin(t.exportTitle(shown), {
      act: 'export',
      resource: 'audit/_all',
      queryFilter: shown,
      sortKeys: '-timestamp',
      format,
      ...(format === 'csv' ? { fields: ['_id', ...SAID] } : {}),
    });
  const list = usePages<Entry>({
    key: ['audit', 'list'],
    path: 'audit/_all',
    parameters: {
      _queryFilter: shown,
      _sortKeys: '-timestamp',
      _pageSize: PAGE_SIZE,
      _fields: SAID.join(','),
    },
  });
  const titles: Readonly<Record<string, unknown>> = { ...t };
  const columns: readonly Column<Entry>[] = [
    { id: 'when', title: t.when, cell: ({ timestamp }) => <Moment at={timestamp} />, width: '16rem' },
    { id: 'topic', title: t.topic, cell: (row) => String(titles[row.topic] ?? row.topic), width: '8rem' },
    { id: 'user', title: t.user, cell: ({ userId }) => userId ?? '–', width: '9rem' },
    { id: 'what', title: t.operation, cell: ({ operation }) => operation ?? '–', width: '6.5rem' },
    { id: 'status', title: t.status, cell: (row) => <Outcome entry={row} />, width: '8.5rem' },
    { id: 'object', title: t.object, cell: objectOf, width: 'minmax(14rem, 1fr)' },
  ];
  return (
    <Page
      title={t.title}
      says={t.says}
      actions={
        <div className="row">
          <Menu
            label={topic === undefined ? t.all : String(titles[topic] ?? topic)}
            chosen={[topic ?? ALL]}
            choices={[{ id: ALL, title: t.all }, ...TOPICS.map((id) => ({ id, title: t[id] }))]}
            onChoose={(id) => go({ topic: id })}
          />
          {mayWrite ? (
            <Menu
              label={t.export}
              choices={[
                { id: 'jsonl', title: t.exportJson },
                { id: 'csv', title: t.exportCsv },
              ]}
              onChoose={write}
            />
          ) : null}
        </div>
      }
    >
      {operation.id === undefined ? null : <OperationNote id={operation.id} name="audit" />}
      <CountedEntries
        fits={fits}
        span={span}
        step={step}
        onSpan={(next) => go({ span: next, step: undefined })}
        onStep={(next) => go({ step: next })}
        filter={filter ?? ''}
        onFilter={(text) => go({ filter: text })}
      />
      <PageList
        of={list}
        filter={{
          label: t.filter,
          hint: t.filterHint,
          value: filter ?? '',
          onFilter: (text) => go({ filter: text }),
        }}
        empty={<Empty icon="audit" title={filter === undefined && step === undefined ? t.none : t.noHits} />}
        label={t.title}
        columns={columns}
        linkOf={({ transactionId }) => `/audit/${encodeURIComponent(requestOf(transactionId))}`}
      />
    </Page>
  );
}

function within({ from, to }: Stretch): string {
  return filterOf`timestamp ge ${from} and timestamp lt ${to}`.text;
}
