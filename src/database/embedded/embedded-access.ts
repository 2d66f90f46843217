import { randomInt } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemCodeOf } from '#errors/index.ts';
import { DatabaseClient } from '../pool/database-client.ts';
import { sqlStateOf } from '../pool/sql-state.ts';
import { FIRST_PASSWORD_FILE, SUPERUSER } from './embedded-template.ts';

/** How to reach the embedded server: `postgres.json` in the data folder, which only its owner can read. */
export interface Access {
  readonly port: number;
  readonly password: string;
  readonly version: string;
}

export const ACCESS_FILE = 'postgres.json';

export async function readAccess(file: string): Promise<Access | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Access;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeAccess(file: string, access: Access): Promise<void> {
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

export function urlOf(access: Access): string {
  return `postgres://${SUPERUSER}:${encodeURIComponent(access.password)}@127.0.0.1:${access.port}/postgres`;
}

/** The URL of the server that runs, or last ran, in a data folder; undefined when there was none. */
export async function findEmbeddedUrl(dataDir: string): Promise<string | undefined> {
  const access = await readAccess(join(dataDir, ACCESS_FILE));
  return access === undefined ? undefined : urlOf(access);
}

/** Ports below those that systems lend to connections, which would often be taken at the next start. */
const OWN_PORTS = { from: 20_000, to: 32_000 };
const TRIES = 20;

/** The wanted port when nobody listens there, else another free one. */
export async function freePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined && (await tryPort(wanted)) !== undefined) return wanted;
  for (let n = 0; n < TRIES; n++) {
    const port = await tryPort(randomInt(OWN_PORTS.from, OWN_PORTS.to));
    if (port !== undefined) return port;
  }
  return (await tryPort(0)) ?? 0;
}

/**
 * A copied database starts with the password of its template. The file with that password is deleted last, so
 * a crash at any point leaves a database that this finds its way into again.
 */
export async function replaceFirstPassword(access: Access, pgData: string): Promise<void> {
  const file = join(pgData, FIRST_PASSWORD_FILE);
  const first = await readFile(file, 'utf8').catch(() => undefined);
  if (first === undefined) return;
  const client = new DatabaseClient({ connectionString: urlOf({ ...access, password: first }) });
  try {
    await client.connect();
    await client.query(`ALTER ROLE ${SUPERUSER} PASSWORD ${client.escapeLiteral(access.password)}`);
  } catch (error) {
    const alreadyReplaced = sqlStateOf(error) === '28P01';
    if (!alreadyReplaced) throw error;
  } finally {
    await client.end().catch(() => {});
  }
  await rm(file);
}

async function tryPort(port: number): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const probe = createServer();
  probe.once('error', () => resolve(undefined));
  probe.listen(port, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
  });
  return promise;
}
