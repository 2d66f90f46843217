import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { filter } from '#client/index.ts';
import { useKeys } from '../../frame/keys.ts';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import type { Why } from '../../parts/chain.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card, Loaded, Loading, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago, absolute, Moment, Took } from '../../parts/time.tsx';
import { WhyDialog } from '../../parts/why-dialog.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { type ScheduleSearch, scheduleRoute } from './routes.ts';
import { type Firing, OutcomeBadge, type Schedule, StateBadge } from './schedule.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const DATES = 8;
const PAUSED = 1;
const GIVEN_UP = 3;

export function SchedulePage() {
  const { id } = scheduleRoute.useParams();
  const schedule = useQuery({
    queryKey: ['schedule', 'one', id],
    queryFn: () => client.resource<Schedule>('scheduler/job').read(id),
    retry: false,
  });
  return <Loaded of={schedule}>{(found) => <One key={id} schedule={found} />}</Loaded>;
}

function One({ schedule }: { readonly schedule: Schedule }) {
  const t = useWords(words);
  const language = useLanguage();
  const navigate = useNavigate();
  const review = useReview();
  const { _id } = schedule;
  const { why }: ScheduleSearch = scheduleRoute.useSearch();
  const act = (action: string, title: string, done: string) =>
    void review({
      title,
      done,
      call: { method: 'POST', path: ['scheduler', 'job', _id], parameters: { _action: action } },
      touches: ['schedule', 'firing'],
    });
  const ask = (at: string | undefined) =>
    void navigate({
      to: `/schedules/${encodeURIComponent(_id)}`,
      search: at === undefined ? {} : { why: at },
    });
  const run = () => act('trigger', t.runTitle(_id), t.runDone(_id));
  useKeys({ r: run });
  const state = schedule.triggers[0]?.state;
  return (
    <Page
      title={_id}
      says={
        <span className="row">
          <Link to="/schedules">{t.title}</Link>
          <StateBadge schedule={schedule} />
          {schedule.words}
        </span>
      }
      actions={
        <div className="row">
          {state === PAUSED || state === GIVEN_UP ? (
            <Button icon="play" onPress={() => act('resume', t.resumeTitle(_id), t.resumeDone(_id))}>
              {t.resume}
            </Button>
          ) : schedule.enabled ? (
            <Button icon="pause" onPress={() => act('pause', t.pauseTitle(_id), t.pauseDone(_id))}>
              {t.pause}
            </Button>
          ) : null}
          <Button look="primary" icon="play" onPress={run}>
            {t.run}
          </Button>
        </div>
      }
    >
      <div className="halves">
        <FactsOf schedule={schedule} />
        <Dates schedule={schedule} />
      </div>
      <Ledger id={_id} onAsk={ask} />
      {why === undefined ? null : (
        <WhyDialog
          title={t.why(absolute(new Date(why), language))}
          queryKey={['firing', 'why', _id, why]}
          ask={() => client.resource('scheduler/job').action<Why>('why', { id: _id, body: { time: why } })}
          onClose={() => ask(undefined)}
        />
      )}
    </Page>
  );
}

function FactsOf({ schedule }: { readonly schedule: Schedule }) {
  const t = useWords(words);
  const c = useWords(common);
  const rows: readonly (readonly [string, string | undefined])[] = [
    [t.when, schedule.schedule],
    [t.zone, schedule.timeZone],
    [t.service, schedule.invokeService],
    [t.misfire, schedule.misfirePolicy],
    [t.concurrent, schedule.concurrentExecution === true ? c.yes : c.no],
    ...(schedule.nodeId === undefined ? [] : [[t.inMemory, schedule.nodeId] as const]),
  ];
  return (
    <Card title={t.facts}>
      <Facts of={rows.map(([title, value]) => ({ title, value: <code>{value ?? '–'}</code> }))} />
    </Card>
  );
}

interface Dates {
  readonly dates: readonly { readonly date: string; readonly localTime: string }[];
  readonly leftOut: readonly unknown[];
}

function Dates({ schedule: { _id, schedule, timeZone } }: { readonly schedule: Schedule }) {
  const t = useWords(words);
  const dates = useQuery({
    queryKey: ['schedule', 'dates', _id, schedule, timeZone],
    queryFn: () =>
      client.resource('scheduler/job').action<Dates>('nextRunDates', { id: _id, body: { count: DATES } }),
    retry: false,
  });
  return (
    <Card title={t.planned}>
      <Loaded of={dates}>
        {({ dates: found, leftOut }) => (
          <>
            {found.length === 0 ? <p className="soft">{t.noDates}</p> : null}
            <ol>
              {found.map(({ date, localTime }) => (
                <li key={date} className="row">
                  <span className="grow mono">{localTime.replace('T', ' ')}</span>
                  <span className="soft">
                    <Ago at={date} />
                  </span>
                </li>
              ))}
            </ol>
            {leftOut.length === 0 ? null : (
              <p className="hint">
                {t.leftOut}: {leftOut.map((each) => JSON.stringify(each)).join(', ')}
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Ledger({ id, onAsk }: { readonly id: string; readonly onAsk: (at: string) => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const ledger = usePages<Firing>({
    key: ['firing', 'of', id],
    path: 'scheduler/firing',
    parameters: {
      _queryFilter: filter`schedule eq ${id}`.text,
      _sortKeys: '-plannedAt',
      _pageSize: PAGE_SIZE,
    },
  });
  const columns: readonly Column<Firing>[] = [
    {
      id: 'planned',
      title: t.plannedAt,
      cell: ({ plannedAt }) => <Moment at={plannedAt} />,
      width: 'minmax(12rem, 1fr)',
    },
    {
      id: 'outcome',
      title: t.outcome,
      cell: (row) => <OutcomeBadge firing={row} />,
      width: 'minmax(11rem, 1fr)',
    },
    { id: 'late', title: t.late, cell: ({ lateMs }) => <Took ms={lateMs} />, width: '7rem' },
    { id: 'took', title: t.took, cell: ({ tookMs }) => <Took ms={tookMs} />, width: '7rem' },
    { id: 'node', title: t.node, cell: ({ node }) => node },
    { id: 'error', title: t.error, cell: ({ error }) => errorText(error), width: 'minmax(12rem, 2fr)' },
  ];
  return (
    <section className="stack" aria-label={t.ledger}>
      <h2>{t.ledger}</h2>
      {ledger.error === null ? null : <ErrorNote error={ledger.error} retry={ledger.refetch} />}
      {ledger.rows === undefined && ledger.error === null ? <Loading /> : null}
      {ledger.rows?.length === 0 ? <p className="soft">{t.noFirings}</p> : null}
      {ledger.rows === undefined || ledger.rows.length === 0 ? null : (
        <Table
          label={t.ledger}
          columns={columns}
          rows={ledger.rows}
          idOf={({ _id }) => _id}
          onOpen={({ plannedAt }) => onAsk(plannedAt)}
          isBusy={ledger.isBusy}
          maxHeight="34rem"
        />
      )}
      {ledger.hasMore ? (
        <div>
          <Button onPress={ledger.more} isPending={ledger.isMoreComing}>
            {c.more}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function errorText(error: Firing['error']): string {
  if (error === null) return '';
  return typeof error === 'string'
    ? error
    : [error.at, error.message].filter((part) => part !== undefined).join(' ');
}
