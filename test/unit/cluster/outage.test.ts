import { expect, test } from 'vitest';
import { Membership, sessionName } from '#cluster/index.ts';
import { LOCK_CLASS, openDatabase } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import '../../support/takes-long.ts';

/** Two nodes, each behind a proxy of its own. */
async function joinTwo(scope: AsyncDisposableStack) {
  const database = scope.use(await createMigratedDatabase());
  const target = new URL(database.url);
  const said: Observation[] = [];
  const join = async (nodeName: string) => {
    const proxy = scope.use(
      await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random),
    );
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const nodeId = await Membership.identify(database.db, nodeName);
    const own = openDatabase({ url: url.href, poolSize: 3, applicationName: sessionName(nodeId) });
    scope.defer(() => own.close());
    const membership = new Membership({
      database: own,
      sessionUrl: url.href,
      nodeName,
      nodeId,
      roles: ['worker'],
      observe: (observation) => said.push(observation),
    });
    await membership.start();
    scope.defer(() => membership.stop());
    return { membership, proxy };
  };
  const [a, b] = [await join('a'), await join('b')];
  return { database, said, a, b };
}

test('nodes that could not reach the database for longer than a lease do not give each other up afterwards', async () => {
  await using scope = new AsyncDisposableStack();
  const { database, said, a, b } = await joinTwo(scope);
  const nodes = [a, b];
  const beats = () => nodes.map(({ membership }) => membership.lastBeatAt);
  await expect.poll(() => Math.min(...beats())).toBeGreaterThan(0);

  for (const { proxy } of nodes) proxy.setWeather({ hole: 'both' });
  const cutAt = performance.now();
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query(
        'select min(clock_timestamp() - seen_at) as silent from cluster_node',
      );
      return rows[0].silent.seconds;
    })
    .toBeGreaterThanOrEqual(4);
  // The first that is back finds the other as silent as it was itself.
  for (const [index, { proxy }] of nodes.entries()) {
    proxy.setWeather();
    await expect.poll(() => beats()[index]).toBeGreaterThan(cutAt + 4_000);
  }
  expect(said.filter(({ kind }) => kind === 'node.lost' || kind === 'node.fenced')).toEqual([]);
});

test('a node gets its lock back from a watcher that was given it and never told', async () => {
  await using scope = new AsyncDisposableStack();
  const { database, a, b } = await joinTwo(scope);
  const sessions = (what: string) =>
    database.pool.query<{ pid: number }>(
      `select pid from pg_locks l join pg_stat_activity using (pid) where locktype = 'advisory' and classid = $1
       and application_name = $2 and ${what}`,
      [LOCK_CLASS, sessionName(a.membership.nodeId)],
    );
  await expect.poll(async () => (await sessions('not granted')).rows.length).toBe(1);
  const holders = async () => {
    const { rows } = await database.pool.query<{ name: string; since: Date }>(
      `select application_name as name, backend_start as since from pg_locks l join pg_stat_activity using (pid)
       where locktype = 'advisory' and classid = $1 and granted and objid = $2`,
      [LOCK_CLASS, b.membership.nodeId],
    );
    return rows;
  };
  const [before] = await holders();
  // From now on what `a` holds in Postgres is deaf and dumb; then Postgres gives it the lock of `b`, for as long as `b`
  // needs to find out.
  a.proxy.endAll('forget');
  b.proxy.endAll('reset');
  const isBack = async () => {
    const [holder] = await holders();
    return holder?.name === sessionName(b.membership.nodeId) && holder.since > before!.since;
  };
  await expect.poll(isBack).toBe(true);
});

test('a node that fails in the middle of coming back does all of it again', async () => {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createMigratedDatabase());
  const nodeId = await Membership.identify(database.db, 'a');
  const membership = new Membership({
    database,
    sessionUrl: database.url,
    nodeName: 'a',
    nodeId,
    roles: ['worker'],
    observe: () => {},
  });
  const released: number[] = [];
  const failures = [new Error('no room'), new Error('no room')];
  let returns = 0;
  membership.onNodeLost(async (_, epoch) => {
    released.push(epoch);
    const failure = released.length > 1 ? failures.pop() : undefined;
    if (failure !== undefined) throw failure;
    return 0;
  });
  membership.onReturn(() => {
    returns += 1;
  });
  await membership.start();
  scope.defer(() => membership.stop());
  const { epoch } = membership;
  await database.pool.query(`update cluster_node set epoch = epoch + 1, state = 'down'`);
  await expect.poll(() => returns, { timeout: 20_000 }).toBe(1);
  // What its earlier life had is given back, though it took three more of them.
  expect(released).toEqual([epoch - 1, epoch, epoch, epoch]);
  expect(membership.epoch).toBe(epoch + 4);
});
