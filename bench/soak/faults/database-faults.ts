import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Fault, type Stage, singleServer } from './fault.ts';

const TROUBLE_MS = 3_000;
const FREEZE_MS = 5_000;
const OUTAGE_MS = 10_000;
const MOST_SESSIONS = 2_000;
/** Postgres itself is gone: nobody can do anything until it is back. */
const BACK_BOUND_MS = 1_000;

/** How many rows of each table whose size is watched have been changed or deleted. */
const CHANGES = `
  select p.name, (s.n_tup_upd + s.n_tup_del)::float8 as rows
  from soak.peak p join pg_stat_user_tables s on s.relname = p.name and s.schemaname = 'public' order by 1`;
interface Changes {
  readonly name: string;
  readonly rows: number;
}

export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'db-restart',
    what: 'Postgres is restarted',
    boundMs: BACK_BOUND_MS,
    strike: async (stage) => ({ target: 'postgres', since: await singleServer(stage).restart(0) }),
  },
  {
    name: 'db-crash',
    what: 'Postgres ends at once (SIGQUIT) and recovers',
    boundMs: BACK_BOUND_MS,
    strike: async (stage) => ({ target: 'postgres', since: await singleServer(stage).crash('SIGQUIT', 500) }),
  },
  {
    name: 'db-kill',
    what: 'kill -9 of Postgres, which recovers',
    boundMs: BACK_BOUND_MS,
    strike: async (stage) => ({ target: 'postgres', since: await singleServer(stage).crash('SIGKILL', 0) }),
  },
  {
    name: 'db-down',
    what: `Postgres is down for ${OUTAGE_MS / 1000} s`,
    boundMs: BACK_BOUND_MS,
    strike: async (stage) => ({ target: 'postgres', since: await singleServer(stage).restart(OUTAGE_MS) }),
  },
  {
    name: 'db-freeze',
    what: `all of Postgres stands still for ${FREEZE_MS / 1000} s`,
    boundMs: BACK_BOUND_MS,
    async strike(stage) {
      await singleServer(stage).freeze(FREEZE_MS);
      return { target: 'postgres', since: Date.now() };
    },
  },
  {
    name: 'sessions-killed',
    what: 'pg_terminate_backend of random sessions, 5 a second',
    boundMs: 500,
    async strike({ pool }) {
      const since = Date.now();
      for (let n = 0; n < 15; n++) {
        await pool.query(`select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity where application_name like 'svc:%' and datname = current_database()
          order by random() limit 1) s`);
        await delay(200);
      }
      return { target: 'any session', since };
    },
  },
  {
    name: 'listen-lost',
    what: 'the sessions that listen are ended, again and again',
    boundMs: 1_500,
    async strike({ pool }) {
      const since = Date.now();
      for (let n = 0; n < 10; n++) {
        await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where query ilike 'listen %' and datname = current_database()`);
        await delay(300);
      }
      return { target: 'listeners', since };
    },
  },
  trouble(
    'disk-full',
    'every write fails as on a full disk',
    BACK_BOUND_MS,
    '53100',
    'could not extend file: No space left on device',
    1,
  ),
  trouble(
    'conflicts',
    'one write in five fails with a serialization failure',
    1_000,
    '40001',
    'could not serialize access',
    0.2,
  ),
  trouble(
    'deadlocks',
    'one write in twenty fails with a deadlock',
    1_000,
    '40P01',
    'deadlock detected',
    0.05,
  ),
  {
    name: 'slow',
    what: 'one write in five takes 400 ms, and statement_timeout is 250 ms',
    boundMs: 2_000,
    async strike(stage) {
      const since = Date.now();
      await withSetting(stage, 'statement_timeout', '250ms', () =>
        withTrouble(stage, { state: '57014', message: 'slow', share: 0.2, sleepMs: 400 }),
      );
      return { target: 'postgres', since };
    },
  },
  {
    name: 'read-only',
    what: 'the database is read-only, as after a fail-over to a replica',
    boundMs: BACK_BOUND_MS,
    async strike(stage) {
      await withSetting(stage, 'default_transaction_read_only', 'on', () => delay(TROUBLE_MS));
      return { target: 'postgres', since: Date.now() };
    },
  },
  {
    name: 'snapshot',
    what: 'a session holds a snapshot for a minute, or as long as asked for, and a replication slot stands still',
    boundMs: 500,
    async strike({ pool, snapshotMs }) {
      const since = Date.now();
      const client = await pool.connect();
      await pool.query(`select pg_create_logical_replication_slot('idle', 'pgoutput')`);
      try {
        await client.query('begin isolation level repeatable read');
        const { rows: before } = await pool.query<Changes>(CHANGES);
        await delay(snapshotMs);
        // All that was changed meanwhile had to stay.
        const { rows: after } = await pool.query<Changes>(CHANGES);
        const kept = after.map(({ name, rows }, n) => ({ name, rows: rows - before[n]!.rows }));
        await pool.query(
          `update soak.peak p set rows = p.rows + k.rows
           from jsonb_to_recordset($1) as k(name text, rows bigint) where k.name = p.name`,
          [JSON.stringify(kept)],
        );
        await client.query('rollback');
      } finally {
        await pool.query(`select pg_drop_replication_slot('idle')`);
        client.release();
      }
      return { target: 'postgres', since };
    },
  },
  {
    name: 'crowded',
    what: 'no session is left (max_connections), while one node needs new ones',
    boundMs: BACK_BOUND_MS,
    async strike({ nodes, postgres }, random) {
      const victim = random.pick(nodes);
      const held = await takeAllSessions(postgres.url);
      victim.proxy.endAll('reset');
      const more = await takeAllSessions(postgres.url);
      await delay(TROUBLE_MS);
      await Promise.all([...held, ...more].map((client) => client.end().catch(() => undefined)));
      return { target: victim.name, since: Date.now() };
    },
  },
];

function trouble(
  name: string,
  what: string,
  boundMs: number,
  state: string,
  message: string,
  share: number,
): Fault {
  return {
    name,
    what,
    boundMs,
    async strike(stage) {
      const startedAt = Date.now();
      await withTrouble(stage, { state, message, share, sleepMs: 0 });
      // Where everything fails nobody can do better than afterwards.
      return { target: 'postgres', since: share === 1 ? Date.now() : startedAt };
    },
  };
}

async function withTrouble(
  { pool }: Stage,
  { state, message, share, sleepMs }: { state: string; message: string; share: number; sleepMs: number },
): Promise<void> {
  await pool.query('insert into soak.trouble values ($1, $2, $3, $4)', [state, message, share, sleepMs]);
  await delay(TROUBLE_MS);
  await pool.query('delete from soak.trouble');
}

/** A setting of the whole server, which our own sessions set aside for themselves. */
async function withSetting(
  { pool }: Stage,
  name: string,
  value: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await pool.query(`alter system set ${name} = '${value}'`);
  await pool.query('select pg_reload_conf()');
  try {
    await work();
  } finally {
    await pool.query(`alter system reset ${name}`);
    await pool.query('select pg_reload_conf()');
  }
}

async function takeAllSessions(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  while (taken.length < MOST_SESSIONS) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch {
      break;
    }
  }
  return taken;
}
