import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { readGauges } from '../gauges.ts';
import { SMALL_NODE_SESSIONS, type SoakNode } from '../node.ts';
import type { Fault, Stage } from './fault.ts';
import { gatherHerd } from './herd-faults.ts';

/** So many of them are killed at once. */
const KILLED = 10;
const HERD = 500;
const PATIENCE_MS = 600_000;
const SAMPLE_MS = 500;

/**
 * Fifty nodes on one machine: all but the first few start at the same moment, and stay. What became of each is in `soak.crowd`;
 * that nothing was lost or doubled is found by the checks of everything else.
 */
export const MANY_NODES_FAULT: Fault = {
  name: 'many-nodes',
  what: `nodes until there are fifty join at once and fire, ${KILLED} of them are killed at once, all stop at once`,
  boundMs: 10_000,
  // Takes a machine with some 16 GiB to spare: only when it is asked for.
  once: { leastMinutes: Number.POSITIVE_INFINITY },
  needsRoom: true,
  async strike(stage, random) {
    const { pool } = stage;
    const startedAt = Date.now();
    const small = await stage.grow();
    const names = small.map(({ name }) => name);
    await pool.query('insert into soak.crowd (node, budget) select unnest($1::text[]), $2', [
      names,
      SMALL_NODE_SESSIONS,
    ]);
    const sampling = keepSampling(pool);
    await Promise.all(small.map((node) => node.start()));
    const upMs = Date.now() - startedAt;
    await until(() => haveJoined(pool));
    await until(() => listen(pool, small));
    let herds = 0;
    await until(async () => {
      await fireHerd(stage, `crowd-${++herds}`);
      return haveFired(pool);
    });
    const killed = random.shuffled(small).slice(0, KILLED);
    const dying = delay(1_000).then(() => Promise.all(killed.map((node) => node.kill())));
    await Promise.all([dying, fireHerd(stage, 'crowd-of-the-dead')]);
    const meanwhile = async () => {
      await Promise.all(killed.map((node) => node.start()));
      await until(() => haveJoined(pool));
      await sampling.end();
    };
    const target = `all up in ${(upMs / 1_000).toFixed(0)} s, each has fired after ${herds} herds`;
    return { target, since: Date.now(), meanwhile };
  },
};

/** Lets a herd be due in a second, and waits until all of it has fired. */
async function fireHerd({ pool }: Stage, name: string): Promise<void> {
  await gatherHerd(pool, name, new Date(Date.now() + 1_000), HERD);
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from scheduler_firing where job_id like $1 || '-%' and started_at is not null`,
      [name],
    );
    return rowCount === HERD;
  });
}

/** Notes who has joined. @returns whether all have, each under an id of its own */
async function haveJoined(pool: pg.Pool): Promise<boolean> {
  await pool.query(
    `update soak.crowd c set joined = exists (select from svc_node n where n.node = c.node and n.state = 'running')`,
  );
  return isEach(pool, 'joined');
}

async function listen(pool: pg.Pool, nodes: readonly SoakNode[]): Promise<boolean> {
  for (const { name, url } of nodes) {
    const gauges = await readGauges(url ?? '').catch(() => undefined);
    if (gauges?.get('svc_listen_connected') !== 1) continue;
    await pool.query('update soak.crowd set listens = true where node = $1', [name]);
  }
  return isEach(pool, 'listens');
}

async function haveFired(pool: pg.Pool): Promise<boolean> {
  await pool.query(
    `update soak.crowd c set fired = f.count from (
       select node, count(*) from scheduler_firing where job_id like 'crowd-%' and started_at is not null group by 1) f
     where f.node = c.node`,
  );
  return isEach(pool, 'fired > 0');
}

async function isEach(pool: pg.Pool, condition: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from soak.crowd where not (${condition})`);
  return rowCount === 0;
}

/** Notes the most sessions that each of them has. */
function keepSampling(pool: pg.Pool): { end(): Promise<void> } {
  let isOver = false;
  const sample = () =>
    pool.query(
      `update soak.crowd c set most_sessions = greatest(c.most_sessions, s.count) from (
         select n.name, count(*) from pg_stat_activity a join cluster_node n on a.application_name = 'svc:' || n.id
         where a.datname = current_database() group by 1) s
       where s.name = c.node`,
    );
  const sampling = (async () => {
    while (!isOver) {
      await sample();
      await delay(SAMPLE_MS);
    }
  })();
  return {
    async end() {
      isOver = true;
      await sampling;
    },
  };
}

/** Until it is so, or too late: then the check finds it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo()) && Date.now() < deadline) await delay(200);
}
