import type pg from 'pg';
import type { Finding } from '../check/check.ts';
import type { SoakNode } from '../node.ts';
import type { Aftermath } from '../recovery.ts';

/** How a fail-over was felt by those who wrote. */
export interface Measured {
  readonly fault: string;
  /** The longest time without an acknowledged write, ms. */
  readonly gapMs: number | null;
  /** From when a server took changes until the first write that was asked for then was acknowledged, ms. */
  readonly wroteMs: number | null;
  readonly firingMs: number | null;
  /** Answers 503, and how long the slowest but one of a hundred, and the slowest, were waited for. */
  readonly refused: number;
  readonly refusedP99Ms: number | null;
  readonly slowestMs: number | null;
  /** Answers that say neither that nothing was changed nor that it is not known. */
  readonly broken: number;
  /** Warnings and errors that the most talkative node wrote in the minute from the fault on. */
  readonly lines: number;
}

/** What those who wrote should feel at most; times hold on a machine that has nothing else to do. */
const GOALS: readonly {
  readonly what: string;
  readonly of?: string;
  readonly most: number;
  readonly unit: string;
  readonly read: (measured: Measured) => number | null;
}[] = [
  {
    what: 'a write is acknowledged after the new primary takes it',
    most: 2_000,
    unit: 'ms',
    read: (m) => m.wroteMs,
  },
  {
    what: 'each schedule is on time after the new primary takes changes',
    most: 3_000,
    unit: 'ms',
    read: (m) => m.firingMs,
  },
  { what: 'a 503 is answered, of a hundred but one', most: 5_000, unit: 'ms', read: (m) => m.refusedP99Ms },
  { what: 'the slowest answer', most: 15_000, unit: 'ms', read: (m) => m.slowestMs },
  { what: 'answers 500', most: 0, unit: 'of them', read: (m) => m.broken },
  {
    what: 'warnings and errors in the log, a node and minute',
    most: 20,
    unit: 'lines',
    read: (m) => m.lines,
  },
  {
    what: 'no write is acknowledged, in a planned switchover',
    of: 'switchover',
    most: 1_500,
    unit: 'ms',
    read: (m) => m.gapMs,
  },
];

/** To be asked when the journal is stored. */
export async function measureGoals(
  pool: pg.Pool,
  nodes: readonly SoakNode[],
  aftermaths: readonly Aftermath[],
): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const { fault, startedAt, since, firingMs, answeringMs } of aftermaths) {
    const until = since + Math.max(firingMs ?? 0, answeringMs ?? 0) + 1_000;
    const { rows } = await pool.query<Omit<Measured, 'fault' | 'firingMs' | 'lines'>>(
      `with told as (
         select *, (extract(epoch from answered_at - asked_at) * 1000)::float8 as ms from soak.answer
         where answered_at between $1::timestamptz - interval '1 second' and $3),
       gap as (
         select answered_at - lag(answered_at) over (order by answered_at) as length from told where outcome = 'done')
       select (select max(extract(epoch from length) * 1000)::float8 from gap) as "gapMs",
              (select extract(epoch from min(answered_at) - $2::timestamptz)::float8 * 1000
               from told where outcome = 'done' and asked_at >= $2) as "wroteMs",
              count(*) filter (where status = 503)::int as refused,
              percentile_disc(0.99) within group (order by ms) filter (where status = 503) as "refusedP99Ms",
              max(ms) filter (where status > 0) as "slowestMs",
              count(*) filter (where status >= 500 and status <> 503)::int as broken
       from told`,
      [new Date(startedAt), new Date(since), new Date(until)],
    );
    const lines = nodes.map(
      ({ warnedAt }) => warnedAt.filter((at) => at >= startedAt && at < startedAt + 60_000).length,
    );
    for (const row of rows) measured.push({ fault: fault.name, firingMs, lines: Math.max(...lines), ...row });
  }
  return measured;
}

/** What does not depend on how fast the machine is. */
export function brokenGoals(measured: readonly Measured[]): Finding[] {
  const rows = measured.filter(({ broken }) => broken > 0).map(({ fault, broken }) => ({ fault, broken }));
  const promise = 'while there is no primary every answer is 503, or was given before';
  return rows.length === 0 ? [] : [{ check: 'no 500', promise, rows }];
}

export function formatGoals(measured: readonly Measured[]): string {
  const ms = (value: number | null) => (value === null ? '–' : value.toFixed(0));
  const head = ['fault', 'gap, ms', 'wrote after', 'fired after', '503', 'p99', 'slowest', '500', 'lines'];
  const rows = measured.map((m) => [
    m.fault,
    ...[m.gapMs, m.wroteMs, m.firingMs, m.refused, m.refusedP99Ms, m.slowestMs, m.broken, m.lines].map(ms),
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const goals = GOALS.map(({ what, of, most, unit, read }) => {
    const values = measured
      .filter(({ fault }) => of === undefined || fault === of)
      .map(read)
      .filter((value) => value !== null);
    if (values.length === 0) return `not measured: ${what}`;
    const worst = Math.max(...values);
    return `${worst <= most ? 'met' : 'MISSED'}: ${what}: ${worst.toFixed(0)} ${unit}, at most ${most}`;
  });
  return [...table, '', ...goals].join('\n');
}
