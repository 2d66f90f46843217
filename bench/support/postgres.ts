import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, openDatabase, readMigrations, startEmbeddedServer } from '#database/index.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;

export interface BenchServer extends AsyncDisposable {
  /** Databases may be made on it. */
  readonly url: string;
}

/** The server of `DATABASE_URL`, else an embedded one with the settings it is shipped with, fsync and all. */
export async function openBenchServer(): Promise<BenchServer> {
  const given = process.env['DATABASE_URL'] ?? '';
  if (given !== '') return { url: given, [Symbol.asyncDispose]: async () => {} };
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-postgres-'));
  // Postgres may run as another user than we do, and has to pass through.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedServer({ dataDir });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Has all databases of this program made on one server, for those that look at one from another. */
export async function shareBenchServer(scope: AsyncDisposableStack): Promise<void> {
  const { url } = scope.use(await openBenchServer());
  process.env['DATABASE_URL'] = url;
}

export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A database with the shipped schema, on the server of `openBenchServer`; both go when it is disposed of. */
export async function createBenchDatabase(): Promise<BenchDatabase> {
  await using scope = new AsyncDisposableStack();
  const server = scope.use(await openBenchServer());
  const name = `svc_bench_${randomBytes(6).toString('hex')}`;
  await onServer(server.url, `create database ${name}`);
  scope.defer(async () => void (await onServer(server.url, `drop database if exists ${name} with (force)`)));
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const database = openDatabase({ url: url.href, poolSize: 1 });
  try {
    await migrate(database.db, await readMigrations(MIGRATIONS));
  } finally {
    await database.close();
  }
  const kept = scope.move();
  return { url: url.href, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Runs one statement, or several in one text, over a connection of its own. */
export async function onServer<Result extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Result[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Result>(text, values)).rows;
  } finally {
    await client.end();
  }
}
