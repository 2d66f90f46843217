import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { Membership } from '#cluster/index.ts';
import { type Database, openDatabase } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import { isAlive } from '#work/index.ts';
import { PATIENT_LEASE_S, setLease } from '../../support/lease.ts';
import { createMigratedDatabase, createSchemaDatabase } from '../../support/migrated-database.ts';

/** A node that has joined, of which an asynchronous standby knows nothing. It has a pooler's connection: nothing but its row tells of it. */
async function joinOne(scope: AsyncDisposableStack) {
  const database = scope.use(await createMigratedDatabase());
  const said: Observation[] = [];
  const nodeId = await Membership.identify(database.db, 'first');
  const membership = new Membership({
    database,
    sessionUrl: undefined,
    nodeName: 'first',
    nodeId,
    roles: ['worker'],
    observe: (observation) => said.push(observation),
  });
  await membership.start();
  scope.defer(() => membership.stop());
  return { database, membership, said };
}

const mayClaim = async ({ db }: Database, { nodeId, epoch, life }: Membership) => {
  const { rows } = await sql<{ may: boolean }>`select ${isAlive({ nodeId, epoch, life })} as may`.execute(db);
  return rows[0]?.may;
};

test('of processes that start at once under one name, with nothing but its row to tell that a node lives, one joins', async () => {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createMigratedDatabase());
  const nodeId = await Membership.identify(database.db, 'twin');
  const said: Observation[] = [];
  const start = async () => {
    const membership = new Membership({
      database,
      sessionUrl: undefined,
      nodeName: 'twin',
      nodeId,
      roles: ['worker'],
      observe: (observation) => said.push(observation),
    });
    await membership.start();
    scope.defer(() => membership.stop());
    return membership;
  };
  // Each has a connection at hand, so that all ask before one has joined.
  await Promise.all(Array.from({ length: 4 }, () => database.pool.query('select pg_sleep(0.05)')));
  const starts = await Promise.allSettled([start(), start(), start(), start()]);
  const joined = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = starts.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(joined).toHaveLength(1);
  expect(refused).toEqual(Array(3).fill(expect.stringMatching(/another live node is called 'twin'/)));
  const [winner] = joined;
  const beatAt = winner?.lastBeatAt ?? 0;
  await expect.poll(() => winner?.lastBeatAt).toBeGreaterThan(beatAt);
  expect(said.filter(({ kind }) => kind === 'node.fenced')).toEqual([]);
});

test('a process that hung, and behind a pooler finds another one of its name, claims nothing and says so', async () => {
  await using scope = new AsyncDisposableStack();
  const { url } = scope.use(await createSchemaDatabase());
  const open = (poolSize: number) => scope.adopt(openDatabase({ url, poolSize }), ({ close }) => close());
  const [shared, own] = [open(4), open(1)];
  const nodeId = await Membership.identify(shared.db, 'twin');
  const start = async (database: Database) => {
    const said: Observation[] = [];
    const options = { database, sessionUrl: undefined, nodeName: 'twin', nodeId, roles: ['worker'] };
    const membership = new Membership({ ...options, observe: (observation) => said.push(observation) });
    scope.defer(() => membership.stop());
    await membership.start();
    return { membership, said };
  };
  const first = await start(own);
  // Its only connection is taken: no heartbeat of it gets through.
  const taken = await own.pool.connect();
  await setLease(shared.db, 0);
  const second = await start(shared);
  await setLease(shared.db, PATIENT_LEASE_S);
  expect(await mayClaim(shared, second.membership)).toBe(true);
  expect(await mayClaim(shared, first.membership)).toBe(false);
  taken.release();
  first.membership.wake();
  await expect
    .poll(() => first.said.map((one) => ('error' in one ? String(one.error) : one.kind)).join())
    .toMatch(/node\.fenced.*another live node is called 'twin'/);
  expect(await mayClaim(shared, first.membership)).toBe(false);
  expect(await mayClaim(shared, second.membership)).toBe(true);
  expect(second.said.filter(({ kind }) => kind === 'node.fenced')).toEqual([]);
});

describe('a fail-over that has lost that a node had joined', () => {
  test('has the node join again, under an epoch that it never had', async () => {
    await using scope = new AsyncDisposableStack();
    const { database, membership, said } = await joinOne(scope);
    const { epoch } = membership;
    expect(await mayClaim(database, membership)).toBe(true);
    await database.pool.query('delete from cluster_node');
    expect(await mayClaim(database, membership)).toBe(false);
    membership.wake();
    await expect.poll(() => membership.epoch).toBeGreaterThan(epoch);
    expect(await mayClaim(database, membership)).toBe(true);
    expect(said.some(({ kind }) => kind === 'node.fenced')).toBe(true);
  });

  test('lets it claim nothing as the node that has its number and epoch now', async () => {
    await using scope = new AsyncDisposableStack();
    const { database, membership, said } = await joinOne(scope);
    await database.pool.query(
      "update cluster_node set name = 'second', life = gen_random_uuid(), seen_at = clock_timestamp()",
    );
    expect(await mayClaim(database, membership)).toBe(false);
    membership.wake();
    await expect
      .poll(() => said.map((one) => ('error' in one ? String(one.error) : '')).join())
      .toMatch(/another node has its number/);
    const { rows } = await database.pool.query('select name, epoch from cluster_node');
    expect(rows).toEqual([{ name: 'second', epoch: membership.epoch }]);
  });
});
