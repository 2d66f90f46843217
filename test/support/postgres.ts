import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which databases may be made; it lives as long as the test run. */
    databaseServerUrl: string;
    /** The name of the database on it that has the shipped schema, once somebody needed it. */
    schemaTemplate: string;
    /** Host and port of the PgBouncer in front of it; empty without `SVC_TEST_PGBOUNCER`. */
    pooler: string;
  }
}

/** An empty database of one test file, dropped with all its sessions when it is disposed of. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
}

export interface TestDatabaseOptions {
  /** Name of a database on the same server that is copied; nobody may be connected to it. */
  readonly template?: string;
  readonly serverUrl?: string;
}

export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { template, serverUrl = inject('databaseServerUrl') } = options;
  const name = `svc_test_${randomBytes(8).toString('hex')}`;
  const from = template === undefined ? '' : ` TEMPLATE ${pg.escapeIdentifier(template)}`;
  // Copying files costs a tenth of what the log of a copy does.
  await onServer(serverUrl, `CREATE DATABASE ${name}${from} STRATEGY file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    [Symbol.asyncDispose]: () => dropDatabase(serverUrl, name),
  };
}

/** The name of the template that has what the first node makes besides. */
export function startedTemplateOf(schemaTemplate: string): string {
  return `${schemaTemplate}_started`;
}

/** Drops it with all its sessions, if it is there. */
export function dropDatabase(serverUrl: string, name: string): Promise<void> {
  return onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/**
 * How a server under test is told of a database. In a run with `SVC_TEST_PGBOUNCER=1` it has nothing but PgBouncer, with
 * `SVC_TEST_PGBOUNCER=direct` also the way past it.
 */
export function databaseEnvironment(url: string): Record<string, string> {
  // Benchmarks use this too, and nobody provides them with anything.
  if ((process.env['SVC_TEST_PGBOUNCER'] ?? '') === '') return { DATABASE_URL: url };
  const pooler = inject('pooler');
  const pooled = new URL(url);
  if (pooler === '' || pooled.host !== new URL(inject('databaseServerUrl')).host)
    return { DATABASE_URL: url };
  pooled.host = pooler;
  const direct = process.env['SVC_TEST_PGBOUNCER'] === 'direct' ? { SVC_DATABASE_DIRECT_URL: url } : {};
  return { DATABASE_URL: pooled.href, ...direct };
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
