import { setTimeout as delay } from 'node:timers/promises';
import { askSomeNode, type Ground, insist, keepDoing } from './load.ts';

/** Processes that are started, sent the message they wait for, and whose task is completed. */
export async function loadProcesses(ground: Ground): Promise<void> {
  const { journal, random } = ground;
  let serial = 0;
  const start = async () => {
    const key = `process-${++serial}`;
    const body = { _key: 'soak', _businessKey: key };
    const answered = await askSomeNode(ground, 'POST', 'workflow/processinstance', body);
    journal.note('startProcess', key, answered.node, answered, answered.body?._id ?? null);
  };
  await Promise.all([
    keepDoing(ground, { count: 1, paceMs: 600 }, start),
    keepDoing(ground, { count: 2, paceMs: 300 }, async () => {
      await (random.chance(0.5) ? sendMessages(ground, 2) : completeTasks(ground, 2));
    }),
  ]);
}

/** Sends the message to some that wait for it. @returns how many there were */
async function sendMessages(ground: Ground, limit: number): Promise<number> {
  const { pool, journal } = ground;
  const { rows } = await pool
    .query<{ id: string }>(
      `select instance_id as id from workflow_subscription
       where event = 'message' and instance_id is not null order by random() limit $1`,
      [limit],
    )
    .catch(() => ({ rows: [] }));
  for (const { id } of rows) {
    const answered = await askSomeNode(ground, 'POST', 'workflow/message?_action=send', {
      name: 'hello',
      processInstanceId: id,
    });
    journal.note('sendMessage', id, answered.node, answered);
  }
  return rows.length;
}

/** Completes some open tasks, as somebody does who looks at the list of any node. */
async function completeTasks(ground: Ground, limit: number): Promise<number> {
  const { journal } = ground;
  const list = await askSomeNode(
    ground,
    'GET',
    `workflow/taskinstance?_queryId=query-all-ids&_pageSize=${limit}`,
  );
  if (list.outcome !== 'done') return 0;
  const tasks = list.body.result as { _id: string }[];
  for (const { _id } of tasks) {
    const answered = await askSomeNode(ground, 'POST', `workflow/taskinstance/${_id}?_action=complete`, {});
    journal.note('completeTask', _id, answered.node, answered);
  }
  return tasks.length;
}

/** Takes every process to its end, as an operator would: dead letters are tried again. Bounded by `untilMs`. */
export async function finishProcesses(ground: Ground, untilMs: number): Promise<void> {
  const { pool } = ground;
  while (Date.now() < untilMs) {
    const { rows } = await pool.query<{ open: number }>(
      'select count(*)::int as open from workflow_instance where ended_at is null',
    );
    if (rows[0]!.open === 0) return;
    const dead = await pool.query<{ id: string }>('select id from workflow_job where is_dead');
    for (const { id } of dead.rows) {
      await insist(ground, 'POST', `workflow/job/deadletter/${id}?_action=retry`, {}, () => true);
    }
    const [sent, completed] = [await sendMessages(ground, 50), await completeTasks(ground, 50)];
    if (sent + completed === 0) await delay(200);
  }
}
