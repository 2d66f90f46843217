import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { workbenchOf } from '../../declared/hooks.ts';
import { Button } from '../../parts/button.tsx';
import type { Why } from '../../parts/chain.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Menu } from '../../parts/menu.tsx';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Ago, absolute } from '../../parts/time.tsx';
import { WhyDialog } from '../../parts/why-dialog.tsx';
import { client } from '../../session/client.ts';
import { useGrants } from '../../session/grants.ts';
import { common } from '../../words/common.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import { PageKeys } from '../../write/page-keys.tsx';
import { useReview } from '../../write/review.tsx';
import { Ledger } from './ledger.tsx';
import { addressOf, type ScheduleSearch, scheduleRoute } from './routes.ts';
import { type Schedule, StateBadge, scriptFileOf } from './schedule.tsx';
import { words } from './words.ts';

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
  const c = useWords(common);
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
      to: addressOf(_id),
      search: at === undefined ? {} : { why: at },
    });
  const run = () => act('trigger', t.runTitle(_id), t.runDone(_id));
  const change = () => void navigate({ to: `${addressOf(_id)}/change` });
  const remove = async () => {
    const done = await review({
      title: t.deleteTitle(_id),
      done: t.deleteDone(_id),
      call: {
        method: 'DELETE',
        path: ['scheduler', 'job', _id],
        headers: { 'If-Match': `"${schedule._rev}"` },
      },
      typed: _id,
      touches: ['schedule', 'audit'],
    });
    if (done !== undefined) void navigate({ to: '/schedules' });
  };
  const path = `scheduler/job/${encodeURIComponent(_id)}`;
  const update = { method: 'update', path, content: schedule } as const;
  const erase = { method: 'delete', path } as const;
  const { may } = useGrants([update, erase]);
  const mayChange = may(update);
  useKeys({ r: run, ...(mayChange ? { e: change } : {}) });
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
          {mayChange ? <Button onPress={change}>{t.change}</Button> : null}
          <Button look="primary" icon="play" onPress={run}>
            {t.run}
          </Button>
          {may(erase) ? (
            <Menu
              isIcon
              label={c.actions}
              choices={[{ id: 'delete', title: c.delete }]}
              onChoose={() => void remove()}
            />
          ) : null}
        </div>
      }
    >
      <PageKeys
        path={['scheduler', 'job', _id]}
        touches={['schedule', 'firing']}
        onWhy={() => ask(schedule.previousRunDate ?? schedule.nextRunDate ?? undefined)}
      />
      <div className="halves">
        <FactsOf schedule={schedule} />
        <Dates schedule={schedule} />
      </div>
      <section className="stack" aria-label={t.ledger}>
        <h2>{t.ledger}</h2>
        <Ledger of={_id} onOpen={({ plannedAt }) => ask(plannedAt)} />
      </section>
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
  const file = scriptFileOf(schedule);
  return (
    <Card title={t.facts}>
      <Facts
        of={[
          ...rows.map(([title, value]) => ({ title, value: <code>{value ?? '–'}</code> })),
          ...(file === undefined
            ? []
            : [{ title: t.script, value: <Link to={workbenchOf(file)}>{file}</Link> }]),
        ]}
      />
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
