import { MARK } from '../project.ts';
import { askSomeNode, type Ground, insist, keepDoing } from './load.ts';

/** How what a schedule does is judged: see `soak.schedule`. */
export type ScheduleKind =
  | 'exact'
  | 'beside'
  | 'loose'
  | 'recoverable'
  | 'local'
  | 'edited'
  | 'once'
  | 'herd';

const EVERY_SECOND = {
  type: 'cron',
  schedule: '* * * * * ?',
  timeZone: 'UTC',
  persisted: true,
  invokeService: 'script',
};

interface Plan {
  readonly id: string;
  readonly kind: ScheduleKind;
  readonly sleepMs?: number;
  readonly fields?: Record<string, unknown>;
}

const PLANS: readonly Plan[] = [
  ...Array.from({ length: 8 }, (_, n) => ({
    id: `tick-${n}`,
    kind: 'exact' as const,
    sleepMs: n < 4 ? 0 : 50 * n,
  })),
  { id: 'slow-0', kind: 'exact', sleepMs: 1_700 },
  { id: 'slow-1', kind: 'exact', sleepMs: 2_400, fields: { misfirePolicy: 'doNothing' } },
  { id: 'beside-0', kind: 'beside', sleepMs: 1_200, fields: { concurrentExecution: true } },
  { id: 'beside-1', kind: 'beside', fields: { concurrentExecution: true } },
  { id: 'loose-0', kind: 'loose', sleepMs: 300, fields: { transactional: false } },
  {
    id: 'recoverable-0',
    kind: 'recoverable',
    sleepMs: 300,
    fields: { transactional: false, recoverable: true },
  },
];
const EDITED = ['edited-0', 'edited-1'];

function scheduleBody(id: string, { sleepMs = 0, fields = {} }: Partial<Plan>, version = 1) {
  const input = { job: id, version, ...(sleepMs === 0 ? {} : { sleepMs }) };
  return { ...EVERY_SECOND, ...fields, invokeContext: { input, script: MARK } };
}

export async function prepareSchedules(ground: Ground): Promise<void> {
  for (const plan of PLANS) {
    await declare(ground, plan.id, plan.kind);
    await insist(ground, 'PUT', `scheduler/job/${plan.id}`, scheduleBody(plan.id, plan));
  }
  await declare(ground, 'local', 'local');
  for (const id of EDITED) await declare(ground, id, 'edited');
}

function declare({ pool }: Ground, id: string, kind: ScheduleKind): Promise<unknown> {
  return pool.query('insert into soak.schedule (id, kind) values ($1, $2) on conflict do nothing', [
    id,
    kind,
  ]);
}

/** Schedules that fire once, at once; and two that are edited and deleted while they fire. */
export async function loadSchedules(ground: Ground): Promise<void> {
  const { journal, random } = ground;
  let serial = 0;
  const once = async () => {
    const id = `once-${++serial}`;
    await declare(ground, id, 'once').catch(() => undefined);
    const answered = await askSomeNode(ground, 'PUT', `scheduler/job/${id}`, {
      ...scheduleBody(id, {}),
      type: 'simple',
      schedule: null,
    });
    journal.note('schedule', id, answered.node, answered);
  };
  const version = new Map(EDITED.map((id) => [id, 0]));
  const edit = async (id: string) => {
    const next = version.get(id)! + 1;
    version.set(id, next);
    if (random.chance(0.25)) {
      const answered = await askSomeNode(ground, 'DELETE', `scheduler/job/${id}`);
      journal.note('deleteSchedule', id, answered.node, answered, String(next));
      return;
    }
    const body = scheduleBody(id, { sleepMs: random.chance(0.5) ? 400 : 0 }, next);
    const answered = await askSomeNode(ground, 'PUT', `scheduler/job/${id}`, body);
    journal.note('editSchedule', id, answered.node, answered, String(next));
  };
  await Promise.all([
    keepDoing(ground, { count: 1, paceMs: 500 }, once),
    ...EDITED.map((id) => keepDoing(ground, { count: 1, paceMs: 1_500 }, () => edit(id))),
  ]);
}
