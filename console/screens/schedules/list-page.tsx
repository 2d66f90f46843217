import { useNavigate } from '@tanstack/react-router';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Ago } from '../../parts/time.tsx';
import { useGrants } from '../../session/grants.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Calendar } from './calendar.tsx';
import { Ledger } from './ledger.tsx';
import { Outcomes, useOutcomes } from './outcomes.tsx';
import { addressOf, type ListSearch, listRoute } from './routes.ts';
import { type Schedule, StateBadge } from './schedule.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const PAUSE = { method: 'action', path: 'scheduler/job', action: 'pauseJobs' } as const;
const CREATE = { method: 'create', path: 'scheduler/job' } as const;
/** What is asked for most, as filters. */
const LOOKS = [
  { id: 'onlyAll', filter: '' },
  { id: 'onlyFailed', filter: 'failed eq true' },
  { id: 'onlyNotRun', filter: 'outcome in ["misfired", "skipped", "lost"]' },
] as const;

export function ListPage() {
  const t = useWords(words);
  const navigate = useNavigate();
  const search: ListSearch = listRoute.useSearch();
  const c = useWords(common);
  const review = useReview();
  const { may } = useGrants([PAUSE, CREATE]);
  const go = (change: ListSearch) =>
    void navigate({ to: '/schedules', search: { ...search, ...change }, replace: true });
  const create = () => void navigate({ to: '/schedules/_new' });
  const all = (action: string) =>
    review({
      title: action === 'pauseJobs' ? t.pauseAll : t.resumeAll,
      done: action === 'pauseJobs' ? t.pauseAllDone : t.resumeAllDone,
      call: { method: 'POST', path: ['scheduler', 'job'], parameters: { _action: action } },
      touches: ['schedule', 'firing', 'node'],
    });
  useKeys(may(CREATE) ? { n: create } : {});
  return (
    <Page
      title={t.title}
      actions={
        <div className="row">
          {may(PAUSE) ? (
            <Menu
              label={c.actions}
              choices={[
                { id: 'pauseJobs', title: t.pauseAll },
                { id: 'resumeJobs', title: t.resumeAll },
              ]}
              onChoose={(action) => void all(action)}
            />
          ) : null}
          {may(CREATE) ? (
            <Button look="primary" icon="plus" onPress={create}>
              {t.newTitle}
            </Button>
          ) : null}
        </div>
      }
    >
      <Tabs
        label={t.title}
        at={search.tab ?? 'list'}
        onGo={(tab) => go({ tab, filter: '' })}
        tabs={[
          {
            id: 'list',
            title: t.list,
            content: <List filter={search.filter ?? ''} onFilter={(filter) => go({ filter })} />,
          },
          { id: 'calendar', title: t.calendar, content: <Calendar /> },
          {
            id: 'ledger',
            title: t.ledger,
            content: (
              <Firings text={search.filter ?? ''} onFilter={(filter) => go({ filter, tab: 'ledger' })} />
            ),
          },
        ]}
      />
    </Page>
  );
}

/** All schedules together: what did not run, as much as what did. */
function Firings({ text, onFilter }: { readonly text: string; readonly onFilter: (text: string) => void }) {
  const t = useWords(words);
  const navigate = useNavigate();
  return (
    <div className="stack">
      <div className="row">
        {LOOKS.map(({ id, filter }) => (
          <Button key={id} onPress={() => onFilter(filter)}>
            {t[id]}
          </Button>
        ))}
      </div>
      <Ledger
        text={text}
        onFilter={onFilter}
        onOpen={({ schedule, plannedAt }) =>
          void navigate({ to: addressOf(schedule), search: { why: plannedAt } })
        }
      />
    </div>
  );
}

function List({ filter, onFilter }: { readonly filter: string; readonly onFilter: (text: string) => void }) {
  const t = useWords(words);
  const list = usePages<Schedule>({
    key: ['schedule', 'list'],
    path: 'scheduler/job',
    parameters: { _queryFilter: filter === '' ? 'true' : filter, _sortKeys: '_id', _pageSize: PAGE_SIZE },
  });
  const outcomes = useOutcomes((list.rows ?? []).map(({ _id }) => _id));
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
    {
      id: 'outcomes',
      title: t.outcomes,
      cell: ({ _id }) => <Outcomes of={outcomes.get(_id)} />,
      width: '15rem',
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
        linkOf={({ _id }) => addressOf(_id)}
      />
    </div>
  );
}
