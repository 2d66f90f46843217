import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { filter as filterOf } from '#client/index.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Ago, absolute, useNow } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { ResourceLink } from '../../sync/resource-link.tsx';
import { useLanguage, useWords } from '../../words/words.ts';
import { inForce, keyOf, useAside } from './aside.ts';
import { type Bar, Bars } from './bars.tsx';
import { Findings } from './findings.tsx';
import styles from './home.module.css';
import type { Status } from './status.ts';
import { words } from './words.ts';

const LOOK_MS = 10_000;
const MOST_NEXT = 6;
const DAY_MS = 86_400_000;

export function HomePage() {
  const t = useWords(words);
  const status = useQuery({
    queryKey: ['node', 'status'],
    queryFn: () => client.send<Status>({ method: 'GET', path: ['status'] }),
    refetchInterval: LOOK_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t.title} says={status.data === undefined ? null : <Needs findings={status.data.findings} />}>
      <Loaded of={status}>
        {({ findings, counts }) => (
          <>
            <Figures counts={counts} />
            <Findings findings={findings} />
          </>
        )}
      </Loaded>
      <Firings />
      <div className="halves">
        <Next />
        <Changed />
      </div>
    </Page>
  );
}

/** How many things need whoever looks. */
function Needs({ findings }: { readonly findings: Status['findings'] }) {
  const t = useWords(words);
  const aside = inForce(useAside().data, useNow());
  const all = findings.filter(({ severity }) => severity !== 'info');
  const open = all.filter((finding) => !aside.has(keyOf(finding)));
  if (open.length > 0) {
    return (
      <Badge tone="warn" mark="!">
        {t.needs(open.length)}
      </Badge>
    );
  }
  return all.length > 0 ? (
    <Badge tone="quiet" mark="‖">
      {t.aside(all.length)}
    </Badge>
  ) : (
    <Badge tone="good" mark="✓">
      {t.well}
    </Badge>
  );
}

function Figures({ counts }: { readonly counts: Status['counts'] }) {
  const t = useWords(words);
  const of = (name: string) => counts[name] ?? 0;
  const figures = [
    { title: t.nodes, value: of('nodes'), says: t.ready(of('nodesReady'), of('nodes')) },
    { title: t.schedules, value: of('schedules'), says: t.running(of('firingsRunning')) },
    { title: t.tasks, value: of('tasksOpen'), says: t.instances(of('instancesOpen')) },
    {
      title: t.letters,
      value: of('deadLetters'),
      says: t.jobs(of('jobsWaiting')),
    },
  ];
  return (
    <dl className={styles['figures']}>
      {figures.map(({ title, value, says }) => (
        <div key={title} className={`card ${styles['figure']}`}>
          <dt>{title}</dt>
          <dd className={styles['value']}>{value}</dd>
          <dd className="soft">{says}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Aggregate {
  readonly result: readonly { readonly at: string; readonly count: number; readonly failed: number }[];
  readonly bucketSeconds: number;
  readonly from: string;
  readonly to: string;
}

function Firings() {
  const t = useWords(words);
  const language = useLanguage();
  const firings = useQuery({
    queryKey: ['firing', 'day'],
    queryFn: () =>
      client.resource('scheduler/firing').action<Aggregate>('aggregate', { body: { bucket: '1h' } }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t.firings}>
      <Loaded of={firings}>
        {(aggregate) => {
          const bars = barsOf(aggregate, language);
          const failed = bars.reduce((sum, { bad }) => sum + bad, 0);
          const all = failed + bars.reduce((sum, { good }) => sum + good, 0);
          return (
            <div className="stack">
              <Bars label={t.firingsLabel(all, failed)} bars={bars} />
              <p className="soft">{t.firingsLabel(all, failed)}</p>
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** An hour without a firing is there, too. */
function barsOf({ result, from, to, bucketSeconds }: Aggregate, language: 'en' | 'de'): readonly Bar[] {
  const byTime = new Map(result.map((row) => [Date.parse(row.at), row]));
  const bars: Bar[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += bucketSeconds * 1_000) {
    const { count = 0, failed = 0 } = byTime.get(at) ?? {};
    const next = new Date(at + bucketSeconds * 1_000).toISOString();
    bars.push({
      title: `${absolute(new Date(at), language)}: ${count}`,
      good: count - failed,
      bad: failed,
      filter: filterOf`plannedAt ge ${new Date(at).toISOString()} and plannedAt lt ${next}`.text,
    });
  }
  return bars;
}

interface Calendar {
  readonly schedules: readonly {
    readonly _id: string;
    readonly words?: string;
    readonly times?: readonly string[];
    readonly every?: string;
  }[];
}

function Next() {
  const t = useWords(words);
  const calendar = useQuery({
    queryKey: ['schedule', 'next'],
    queryFn: () => {
      const to = new Date(Date.now() + DAY_MS).toISOString();
      return client.resource('scheduler/job').action<Calendar>('calendar', { body: { to } });
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t.next}>
      <Loaded of={calendar}>
        {({ schedules }) => {
          const dated = schedules
            .flatMap(({ _id, times }) => (times?.[0] === undefined ? [] : [{ _id, at: times[0] }]))
            .sort((a, b) => a.at.localeCompare(b.at))
            .slice(0, MOST_NEXT);
          const often = schedules.filter(({ every }) => every !== undefined).slice(0, MOST_NEXT);
          if (dated.length + often.length === 0) return <p className="soft">{t.noNext}</p>;
          return (
            <ul className={styles['list']}>
              {often.map(({ _id, words: said, every }) => (
                <li key={_id}>
                  <Link className="grow" to={`/schedules/${encodeURIComponent(_id)}`}>
                    {_id}
                  </Link>
                  <span className="soft">{said ?? t.every(every ?? '')}</span>
                </li>
              ))}
              {dated.map(({ _id, at }) => (
                <li key={_id}>
                  <Link className="grow" to={`/schedules/${encodeURIComponent(_id)}`}>
                    {_id}
                  </Link>
                  <span className="soft">
                    <Ago at={at} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface Entry {
  readonly _id: string;
  readonly userId: string;
  readonly objectId: string;
  readonly operation: string;
  readonly timestamp: string;
}

function Changed() {
  const t = useWords(words);
  const entries = useQuery({
    queryKey: ['audit', 'latest'],
    queryFn: ({ signal }) =>
      firstPage(
        client.resource<Entry>('audit/activity').query({ sort: ['-timestamp'], pageSize: MOST_NEXT, signal }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t.changed}>
      <Loaded of={entries}>
        {(found) =>
          found.length === 0 ? (
            <p className="soft">{t.noChanges}</p>
          ) : (
            <ul className={styles['list']}>
              {found.map(({ _id, objectId, userId, timestamp }) => (
                <li key={_id}>
                  <span className={`grow ${styles['cut']}`}>
                    <ResourceLink of={objectId} /> <span className="soft">{`${t.by} ${userId}`}</span>
                  </span>
                  <span className="soft">
                    <Ago at={timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

async function firstPage<T>(results: {
  pages(): AsyncIterable<{ readonly result: readonly T[] }>;
}): Promise<readonly T[]> {
  for await (const { result } of results.pages()) return result;
  return [];
}
