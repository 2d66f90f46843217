import { appendFile, chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Membership, requireKnownDatabase } from '#cluster/index.ts';
import { type Database, migrate, openDatabase, readMigrations } from '#database/index.ts';
import { startEmbeddedServer } from '../../src/database/embedded/embedded-server.ts';
import '../support/takes-long.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;
const asked = (database: Database) => ({ database, nodeName: 'first', marker: undefined, asItIs: false });

test('a server that is put back in its place to a moment in time is noticed, and one that is not put back is none', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-in-place-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const [data, backup, archive] = ['data', 'backup', 'archive'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const at = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const server = await startEmbeddedServer({ dataDir: data, settings: { fsync: 'off' } });
    const database = openDatabase({ url: server.url, poolSize: 2, onError: () => {} });
    return work(database).finally(async () => {
      await database.close();
      await server.stop();
    });
  };
  const history = await at(async (database) => {
    await migrate(database.db, await readMigrations(MIGRATIONS));
    await Membership.identify(database.db, 'first');
    // A node that has not stopped.
    await database.pool.query("update cluster_node set state = 'running'");
    return requireKnownDatabase(asked(database));
  });
  await cp(data, backup, { recursive: true, preserveTimestamps: true });
  await at(async ({ pool }) => {
    await pool.query("select pg_create_restore_point('before')");
    await pool.query('create table what_came_later ()');
  });
  await cp(join(data, 'postgres', 'pg_wal'), archive, { recursive: true });
  // Whoever Postgres runs as has to read them.
  for (const file of await readdir(archive)) await chmod(join(archive, file), 0o755);
  await chmod(archive, 0o755);

  const putBack = async (settings: string) => {
    await rm(data, { recursive: true });
    await cp(backup, data, { recursive: true, preserveTimestamps: true });
    await appendFile(
      join(data, 'postgres', 'postgresql.auto.conf'),
      `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_action = 'promote'\n${settings}`,
    );
    await writeFile(join(data, 'postgres', 'recovery.signal'), '');
  };
  const isPromoted = ({ pool }: Database) =>
    expect
      .poll(async () => (await pool.query('show transaction_read_only')).rows)
      .toEqual([{ transaction_read_only: 'off' }]);
  const hasLater = async ({ pool }: Database) =>
    (await pool.query("select to_regclass('what_came_later') is not null as it")).rows[0].it;

  await putBack('');
  await at(async (database) => {
    await isPromoted(database);
    expect(await hasLater(database)).toBe(true);
    expect(await requireKnownDatabase(asked(database))).toBe(history);
  });
  await putBack("recovery_target_name = 'before'\n");
  await at(async (database) => {
    await isPromoted(database);
    expect(await hasLater(database)).toBe(false);
    await expect(requireKnownDatabase(asked(database))).rejects.toThrow(
      /was restored, or is a copy of one on which nodes \(first\) were at work/,
    );
    const anew = await requireKnownDatabase({ ...asked(database), asItIs: true });
    expect(anew).not.toBe(history);
    expect(await requireKnownDatabase(asked(database))).toBe(anew);
  });
});
