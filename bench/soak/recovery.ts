import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './client.ts';
import type { Fault, Stage, Strike } from './faults/fault.ts';

/** Nobody has recovered who has not by then, however slow the machine. */
const PATIENCE_MS = 300_000;

const ANSWER_MS = 3_000;

/** A fault, and what became of the cluster. */
export interface Aftermath extends Strike {
  readonly fault: Fault;
  readonly startedAt: number;
  /** From `since` until each steady schedule had fired for a later time; null when some did not. */
  readonly firingMs: number | null;
  /** From `since` until each node answered a read, who was started again as well; null when some did not. */
  readonly answeringMs: number | null;
}

/** Waits until the cluster works as before. */
export async function awaitRecovery(
  stage: Stage,
  fault: Fault,
  startedAt: number,
  strike: Strike,
): Promise<Aftermath> {
  const [firing, answering] = await Promise.all([
    until(() => fires(stage, strike.since)),
    (strike.meanwhile?.() ?? Promise.resolve()).then(() => until(() => answers(stage))),
  ]);
  const since = (at: number | null) => (at === null ? null : Math.max(0, at - strike.since));
  return { fault, startedAt, ...strike, firingMs: since(firing), answeringMs: since(answering) };
}

async function until(isSo: () => Promise<boolean>): Promise<number | null> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if (await isSo()) return Date.now();
    await delay(50);
  }
  return null;
}

async function fires({ pool }: Stage, since: number): Promise<boolean> {
  const statement = {
    text: `select count(*)::int as waiting from soak.schedule s
       where s.id like 'tick-%'
         and not exists (select 1 from scheduler_firing f where f.job_id = s.id and f.planned_at >= $1)
         and not exists (select 1 from scheduler_job j where j.id = s.id and j.parked is not null)`,
    values: [new Date(since)],
    // The server may stand still, and another one have taken over.
    query_timeout: ANSWER_MS,
  };
  const { rows } = await pool.query<{ waiting: number }>(statement).catch(() => ({ rows: [{ waiting: 1 }] }));
  return rows[0]!.waiting === 0;
}

async function answers({ nodes }: Stage): Promise<boolean> {
  const answered = await Promise.all(
    nodes.map(({ url }) => (url === undefined ? undefined : ask(url, 'GET', 'managed/counter/counter-0'))),
  );
  return answered.every((answer) => answer?.status === 200);
}

/** How late a firing was that the fault held up: until its end, at worst, in ms. */
export async function measureLateness(
  { pool }: Pick<Stage, 'pool'>,
  { startedAt, since, firingMs }: Aftermath,
): Promise<number | null> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `select max(extract(epoch from f.ended_at - greatest(f.planned_at, $2)) * 1000)::float8 as ms
     from scheduler_firing f where f.job_id like 'tick-%' and f.planned_at between $1 and $3`,
    [new Date(startedAt - 1_000), new Date(since), new Date(since + (firingMs ?? PATIENCE_MS))],
  );
  return rows[0]!.ms;
}
