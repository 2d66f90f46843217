import { appendFile, chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/database/embedded/embedded-server.ts';
import { eventually } from './eventually.ts';

const SETTINGS = { fsync: 'off', max_connections: '60' };
const HBA = 'host replication all 127.0.0.1/32 scram-sha-256\n';

/** A primary and a standby that follows it, each on a port of its own. */
export interface Pair extends AsyncDisposable {
  readonly primary: EmbeddedServer;
  readonly standby: EmbeddedServer;
  /** Both, as the URL of a database names several. */
  readonly url: string;
  /** Has the standby hear nothing more of what is written. */
  cutOff(): Promise<void>;
  /** Has the standby take the place of the primary, which has been stopped. */
  promote(): Promise<void>;
  /** Starts the primary again that was stopped, which knows nothing of what has happened since. */
  comeBack(): Promise<EmbeddedServer>;
}

export async function startPair(): Promise<Pair> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-pair-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await using cold = await startEmbeddedServer({ dataDir: first, settings: SETTINGS }).then((server) => ({
    url: server.url,
    [Symbol.asyncDispose]: () => server.stop(),
  }));
  await appendFile(join(first, 'postgres', 'pg_hba.conf'), HBA);
  const login = new URL(cold.url);
  await cold[Symbol.asyncDispose]();
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  for (const left of ['postgres.lock', 'postgres/postmaster.pid'])
    await rm(join(second, left), { force: true });
  const primary = await startEmbeddedServer({ dataDir: first, settings: SETTINGS });
  scope.defer(() => primary.stop());
  const { port } = new URL(primary.url);
  const follows = `host=127.0.0.1 port=${port} user=${login.username} password=${decodeURIComponent(login.password)}`;
  const auto = join(second, 'postgres', 'postgresql.auto.conf');
  await writeFile(auto, `${await readFile(auto, 'utf8')}primary_conninfo = '${follows}'\n`);
  await writeFile(join(second, 'postgres', 'standby.signal'), '');
  const standby = await startEmbeddedServer({ dataDir: second, settings: SETTINGS });
  scope.defer(() => standby.stop());
  const opened = scope.move();
  const url = new URL(primary.url);
  return {
    primary,
    standby,
    url: primary.url.replace(url.host, `${new URL(standby.url).host},${url.host}`),
    async cutOff() {
      const client = new pg.Client({ connectionString: standby.url });
      await client.connect();
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
      await eventually(
        () => client.query('select from pg_stat_wal_receiver'),
        ({ rowCount }) => rowCount === 0,
      );
      await client.end();
    },
    async promote() {
      const client = new pg.Client({ connectionString: standby.url });
      await client.connect();
      await client.query('select pg_promote()');
      await eventually(
        () => client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby'),
        ({ rows }) => rows[0]?.is_standby === false,
      );
      await client.end();
    },
    async comeBack() {
      const old = await startEmbeddedServer({ dataDir: first, settings: SETTINGS });
      opened.defer(() => old.stop());
      return old;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
