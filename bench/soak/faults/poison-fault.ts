import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../client.ts';
import type { SoakNode } from '../node.ts';
import { POISON_SCRIPT, SCAN_SCRIPT, scanOf } from '../project.ts';
import type { Fault, Stage } from './fault.ts';

const PATIENCE_MS = 300_000;
const OBJECTS = 12;

/** Each kind of work once that takes down whoever does it: a firing, a step of a process, an object of a scan. */
export const POISON_FAULT: Fault = {
  name: 'poison',
  what: 'a run, a step and a scanned object that kill their node each time',
  boundMs: 10_000,
  once: { leastMinutes: 1 },
  async strike(stage) {
    const { nodes } = stage;
    const serial = Date.now();
    for (const node of nodes) node.allowDeaths(true);
    const revival = revive(stage);
    const deaths = [];
    for (const kind of ['schedule', 'step', 'object'] as const) {
      const before = totalDeaths(nodes);
      const gaveUp = await METHODS[kind](stage, `poison-${serial}`);
      deaths.push(totalDeaths(nodes) - before);
      await stage.pool.query('insert into soak.poison values ($1, $2, $3, $4)', [
        kind,
        `poison-${serial}`,
        gaveUp,
        deaths.at(-1),
      ]);
    }
    await revival.end();
    for (const node of nodes) node.allowDeaths(false);
    return { target: `${deaths.join(' + ')} deaths`, since: Date.now() };
  },
};

type Method = (stage: Stage, key: string) => Promise<boolean>;

const METHODS: Readonly<Record<'schedule' | 'step' | 'object', Method>> = {
  async schedule(stage, key) {
    await insist(stage, 'PUT', `scheduler/job/${key}`, {
      type: 'simple',
      persisted: true,
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', source: POISON_SCRIPT } },
    });
    return until(stage, 'select 1 from scheduler_job where id = $1 and parked is not null', key);
  },
  async step(stage, key) {
    await insist(stage, 'POST', 'workflow/processinstance', { _key: 'poison', _businessKey: key });
    const gaveUp = await until(
      stage,
      `select 1 from workflow_job j join workflow_instance i on i.id = j.instance_id
       where i.business_key = $1 and j.is_dead`,
      key,
    );
    const { rows } = await stage.pool.query<{ id: string }>(
      'select id from workflow_instance where business_key = $1 and ended_at is null',
      [key],
    );
    for (const { id } of rows) await insist(stage, 'DELETE', `workflow/processinstance/${id}`);
    return gaveUp;
  },
  async object(stage, key) {
    await stage.pool.query(
      `with made as (
         insert into managed_object (type, id, data)
         select 'item', $1 || '-' || n, jsonb_build_object('batch', $1::text, 'n', n, 'times', 0, 'deadly', n = 5)
         from generate_series(1, $2::int) n returning id)
       insert into soak.item (id, scan) select id, $1 from made`,
      [key, OBJECTS],
    );
    const source = `if (input.deadly) { ${POISON_SCRIPT} }${SCAN_SCRIPT}`;
    const started = await insist(stage, 'POST', 'taskscanner?_action=execute', scanOf(key, source));
    return until(
      stage,
      `select 1 from svc_scan_run where run_id = $1::uuid and state = 'COMPLETED' and failures = 1
       and successes = ${OBJECTS - 1}`,
      String(started._id),
    );
  },
};

/** Starts who dies, as whatever keeps nodes running would. */
function revive({ nodes }: Stage): { end(): Promise<void> } {
  let isOver = false;
  const keep = async (node: SoakNode) => {
    while (!isOver) {
      if (node.url === undefined) await node.start(node.clock);
      await delay(50);
    }
    if (node.url === undefined) await node.start(node.clock);
  };
  const all = Promise.all(nodes.map(keep));
  return {
    async end() {
      isOver = true;
      await all;
    },
  };
}

function totalDeaths(nodes: readonly SoakNode[]): number {
  return nodes.reduce((sum, { deaths }) => sum + deaths, 0);
}

async function until({ pool }: Stage, statement: string, key: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const { rowCount } = await pool.query(statement, [key]);
    if (rowCount !== 0) return true;
    await delay(100);
  }
  return false;
}

async function insist({ nodes }: Stage, method: string, path: string, body?: unknown) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const node = nodes.find(({ url }) => url !== undefined);
    const answered = node === undefined ? undefined : await ask(node.url!, method, path, body);
    // What was done without an answer is there now, or gone.
    if (answered?.outcome === 'done') return answered.body;
    if (method === 'DELETE' && answered?.status === 404) return undefined;
    if (Date.now() > deadline) throw new Error(`${method} ${path}: ${JSON.stringify(answered)}`);
    await delay(200);
  }
}
