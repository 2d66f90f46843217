import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { LEASE_S, PATIENT_LEASE_S, setLease } from '../support/lease.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { findPgBouncer, NO_PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const program = await findPgBouncer();
if (program === undefined) console.warn(NO_PGBOUNCER);
/** Fewer than a node has connections, so that a transaction rarely gets the session of the one before. */
const SESSIONS = 4;
const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'mark' },
      { name: 'gate' },
      { name: 'thing', schema: { properties: { label: { type: 'string', searchable: true } } } },
    ],
  },
};
/** Leaves a mark, then holds the transaction in which it did until it may go on. */
// To ask for the mark sends it; until then it is kept for the commit.
const SOURCE = `svc.create('managed/mark', null, {});
  svc.query('managed/mark', { _queryFilter: '_id pr' });
  while (svc.read('managed/gate/open') === null) {}`;

describe.skipIf(program === undefined)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let door: TestServer;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await startPgBouncer(program!, database.url, SESSIONS);
    environment = {
      DATABASE_URL: pooler.through(database.url),
      SVC_NODE_ID: 'door',
      SVC_ROLES: 'api',
    };
    door = await startTestServer({ database, files: FILES, environment });
  });
  afterAll(async () => {
    await door[Symbol.asyncDispose]();
    await pooler[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const rows = async (statement: TemplateStringsArray) =>
    (await sql<Record<string, unknown>>(statement).execute(door.database.db)).rows;

  it('a node finds out that it has no session of its own, holds no lock of one, and polls', async () => {
    expect(await door.observed('database.pooled')).toMatchObject({ hasSessions: false });
    const ready = (await (await fetch(`${door.url}/health/ready`)).json()) as { parts: object };
    expect(ready.parts).toMatchObject({ listener: { state: 'up', detail: 'polling only' } });
    expect(await locksOfNodes(door)).toBe(0);
  });

  it('statements that come again and again are not prepared', async () => {
    const bodies = Array.from({ length: 40 }, (_, n) => ({ label: `l${n}` }));
    const answers = await Promise.all(bodies.map((body) => door.api('POST', 'managed/thing', { body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const found = await door.api('GET', `managed/thing?_queryFilter=${encodeURIComponent('label eq "l7"')}`);
    expect(found.body.resultCount).toBe(1);
  });

  it('indexes are built while a transaction holds the lock of the builder', async () => {
    await eventually(
      () => rows`select ready from svc_index`,
      (found) => found[0]?.['ready'] === true,
    );
  });

  it('a node of the name of a live one is refused by its heartbeat', async () => {
    // Both share a process, in which the heartbeat of the one may wait for the start of the other.
    await setLease(door.database.db, PATIENT_LEASE_S);
    await expect(startTestServer({ database, files: FILES, environment })).rejects.toThrow(
      /another live node is called 'door'/,
    );
    await setLease(door.database.db, LEASE_S);
  });

  it('what a killed node had begun is rolled back, and done by another after its lease', async () => {
    await using victim = await startNodeProcess({
      name: 'victim',
      databaseUrl: environment['DATABASE_URL']!,
      project: door.project.location,
    });
    const script = { type: 'text/javascript', source: SOURCE, timeout: 120_000 };
    const { status } = await door.api('PUT', 'scheduler/job/long', {
      body: { type: 'simple', invokeService: 'script', invokeContext: { script } },
    });
    expect(status).toBe(201);
    // The run has started. Its mark is written inside its transaction, which is still open when all others have ended.
    await eventually(
      () => rows`select from scheduler_run where started_at is not null and exists (
                   select from pg_stat_activity where datname = current_database()
                   and application_name like 'svc:%' and backend_xid is not null
                   and xact_start < clock_timestamp() - interval '200 ms')`,
      (open) => open.length > 0,
    );
    victim.signal('SIGKILL');
    await victim.ended;
    expect((await door.api('PUT', 'managed/gate/open', { body: {} })).status).toBe(201);
    await using heir = await startTestServer({
      database,
      files: FILES,
      environment: { ...environment, SVC_NODE_ID: 'heir', SVC_ROLES: 'worker' },
    });
    const lost = await Promise.race([door, heir].map(({ observed }) => observed('node.lost')));
    expect(lost).toMatchObject({ node: 'victim', how: 'heartbeat' });
    const firings = await eventually(
      () => rows`select outcome, node, failed from svc_firing`,
      (found) => found.length > 0,
    );
    expect(firings).toEqual([{ outcome: 'recovered', node: 'heir', failed: false }]);
    expect(await rows`select from managed_object where type = 'mark'`).toHaveLength(1);
  });

  it('with a direct URL beside it a node is woken and holds its lock', async () => {
    await using own = await createTestDatabase();
    await using direct = await startTestServer({
      database: own,
      files: FILES,
      environment: { DATABASE_URL: pooler.through(own.url), SVC_DATABASE_DIRECT_URL: own.url },
    });
    expect(await direct.observed('database.pooled')).toMatchObject({ hasSessions: true });
    await direct.observed('listen.connected');
    expect(await locksOfNodes(direct)).toBe(1);
    expect((await direct.api('POST', 'managed/thing', { body: {} })).status).toBe(201);
  });

  it('beside direct nodes a node lives by its heartbeat, since nobody waits for a lock that it has not', async () => {
    await using own = await createTestDatabase();
    const start = (name: string, url = own.url) =>
      startTestServer({ database: own, files: FILES, environment: { DATABASE_URL: url, SVC_NODE_ID: name } });
    await using first = await start('first');
    // Between the two in the ring of ids.
    await using pooled = await startNodeProcess({
      name: 'pooled',
      databaseUrl: pooler.through(own.url),
      project: first.project.location,
    });
    await setLease(first.database.db, PATIENT_LEASE_S);
    await using last = await start('last');
    const { db } = last.database;
    const nodes = await eventually(
      async () =>
        (
          await sql<{ name: string; holds: boolean }>`
          select node as name, holds_session as holds from svc_node order by node`.execute(db)
        ).rows,
      (found) => found.length === 3,
    );
    expect(nodes).toEqual([
      { name: 'first', holds: true },
      { name: 'last', holds: true },
      { name: 'pooled', holds: false },
    ]);
    // Each direct node waits for the other, and beyond that the third has beaten a few times.
    await eventually(
      async () =>
        (
          await sql`
          select from pg_locks l join cluster_node n on n.id = l.objid::bigint
          where l.locktype = 'advisory' and not l.granted and n.name in ('first', 'last')
            and l.database = (select oid from pg_database where datname = current_database())`.execute(db)
        ).rows.length,
      (waiting) => waiting === 2,
    );
    const beats = new Set<number>();
    await eventually(
      async () => beats.add((await seenAt(last, 'pooled')).getTime()).size,
      (seen) => seen > 3,
    );
    await setLease(db, LEASE_S);
    expect((await sql`select node from svc_node_event where kind = 'lost'`.execute(db)).rows).toEqual([]);
    pooled.signal('SIGKILL');
    const lost = await Promise.race([first, last].map(({ observed }) => observed('node.lost')));
    expect(lost).toMatchObject({ node: 'pooled', how: 'heartbeat' });
  });

  it('a direct node does not take the name of a live one that has no lock', async () => {
    await setLease(door.database.db, PATIENT_LEASE_S);
    const direct = { ...environment, DATABASE_URL: database.url };
    await expect(startTestServer({ database, files: FILES, environment: direct })).rejects.toThrow(
      /another live node is called 'door'/,
    );
    await setLease(door.database.db, LEASE_S);
  });
});

async function seenAt({ database }: TestServer, name: string): Promise<Date> {
  const node = database.db.selectFrom('cluster_node').where('name', '=', name);
  return (await node.select('seen_at').executeTakeFirstOrThrow()).seen_at;
}

/** Advisory locks that sessions hold for nodes; the builder of indexes has a number that no node has. */
async function locksOfNodes({ database }: TestServer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_locks where locktype = 'advisory' and objid::bigint < 1000
      and database = (select oid from pg_database where datname = current_database())`.execute(database.db);
  return rows[0]!.count;
}
