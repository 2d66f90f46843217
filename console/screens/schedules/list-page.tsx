import { useNavigate } from '@tanstack/react-router';
import { usePages } from '../../live/pages.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { Calendar } from './calendar.tsx';
import { type ListSearch, listRoute } from './routes.ts';
import { type Schedule, StateBadge } from './schedule.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const go = (change: ListSearch) =>
    void navigate({ to: '/schedules', search: { ...search, ...change }, replace: true });
  return (
    <Page title={t.title}>
      <Tabs
        label={t.title}
        at={search.tab ?? 'list'}
        onGo={(tab) => go({ tab })}
        tabs={[
          {
            id: 'list',
            title: t.list,
            content: <List filter={search.filter ?? ''} onFilter={(filter) => go({ filter })} />,
          },
          { id: 'calendar', title: t.calendar, content: <Calendar /> },
        ]}
      />
    </Page>
  );
}

function List({ filter, onFilter }: { readonly filter: string; readonly onFilter: (text: string) => void }) {
  const t = useWords(words);
  const list = usePages<Schedule>({
    key: ['schedule', 'list'],
    path: 'scheduler/job',
    parameters: { _queryFilter: filter === '' ? 'true' : filter, _sortKeys: '_id', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<Schedule>[] = [
    { id: 'name', title: t.name, cell: ({ _id }) => _id, width: 'minmax(12rem, 1.2fr)' },
    {
      id: 'when',
      title: t.when,
      cell: ({ words: said, schedule }) => said ?? schedule,
      width: 'minmax(12rem, 1.2fr)',
    },
    {
      id: 'state',
      title: t.state,
      cell: (row) => <StateBadge schedule={row} />,
      width: 'minmax(9rem, 0.7fr)',
    },
    { id: 'next', title: t.next, cell: ({ nextRunDate }) => <Ago at={nextRunDate} /> },
    { id: 'previous', title: t.previous, cell: ({ previousRunDate }) => <Ago at={previousRunDate} /> },
    {
      id: 'service',
      title: t.service,
      cell: ({ invokeService }) => invokeService.replace(/^svc\.service\./, ''),
    },
  ];
  return (
    <div className="stack">
      <PageList
        of={list}
        filter={{ label: t.filter, hint: t.filterHint, value: filter, onFilter }}
        empty={
          <Empty icon="schedules" title={filter === '' ? t.none : t.noHits}>
            {filter === '' ? <p>{t.noneText}</p> : null}
          </Empty>
        }
        label={t.title}
        columns={columns}
        linkOf={({ _id }) => `/schedules/${encodeURIComponent(_id)}`}
      />
    </div>
  );
}
