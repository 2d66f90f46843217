import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findOwner } from '../../src/database/embedded/embedded-lock.ts';
import { startEmbeddedServer } from '../../src/database/embedded/embedded-server.ts';
import { findPgBouncer, NO_PGBOUNCER, type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { dropDatabase, startedTemplateOf } from './postgres.ts';

interface TestServer {
  readonly url: string;
  readonly schemaTemplate: string;
  stop(): Promise<void>;
}

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;
const FOLDER_PREFIX = 'svc-test-postgres-';
const DOCKER_ANSWER_MS = 1_000;
const IMAGE = 'postgres:18-alpine';
/** Nobody misses a test's data after a power cut, nor guesses its password, which thousands of sessions show. */
const SETTINGS = {
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  scram_iterations: '1',
  max_wal_size: '256MB',
};

/** One Postgres for the whole run; each test file makes its own database on it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  project.provide('databaseServerUrl', server.url);
  project.provide('schemaTemplate', server.schemaTemplate);
  const pooler = await startPooler(server.url);
  project.provide('pooler', pooler?.address ?? '');
  return async () => {
    await pooler?.[Symbol.asyncDispose]();
    await server.stop();
  };
}

/** Servers under test reach their databases through PgBouncer when they are asked to. */
async function startPooler(serverUrl: string): Promise<PgBouncer | undefined> {
  if ((process.env['SVC_TEST_PGBOUNCER'] ?? '') === '') return undefined;
  const program = await findPgBouncer();
  if (program === undefined) throw new Error(NO_PGBOUNCER);
  return startPgBouncer(program, serverUrl);
}

async function startServer(): Promise<TestServer> {
  const given = process.env['DATABASE_URL'];
  const schemaTemplate = `svc_test_schema_${randomBytes(8).toString('hex')}`;
  if (given !== undefined && given !== '') {
    const drop = async () => {
      const names = [schemaTemplate, startedTemplateOf(schemaTemplate)];
      await Promise.allSettled(names.map((name) => dropDatabase(given, name)));
    };
    return { url: given, schemaTemplate, stop: drop };
  }
  const docker = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  return {
    ...((await dockerAnswers(docker)) ? await startContainer() : await startEmbedded()),
    schemaTemplate,
  };
}

async function startContainer(): Promise<Omit<TestServer, 'schemaTemplate'>> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ POSTGRES_USER: 'svc', POSTGRES_PASSWORD: 'svc', POSTGRES_DB: 'postgres' })
    .withCommand(['postgres', ...settings])
    .withExposedPorts(5432)
    // The image starts Postgres twice: first without a port, to initialise it.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  const url = `postgres://svc:svc@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  return { url, stop: async () => void (await container.stop()) };
}

async function startEmbedded(): Promise<Omit<TestServer, 'schemaTemplate'>> {
  await Promise.all([tmpdir(), MEMORY].map(removeAbandoned));
  const place = (await hasRoomInMemory()) ? MEMORY : tmpdir();
  const dataDir = await mkdtemp(join(place, FOLDER_PREFIX));
  // Postgres may run as another user than we do, and has to pass through.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedServer({ dataDir, settings: SETTINGS });
  const forget = whenCutShort(() => {
    // There is no time left to wait for Postgres, and it writes until its end: another process tidies up.
    const script =
      'kill -QUIT "$1"; for i in $(seq 200); do test -e "$2/postgres/postmaster.pid" || break; sleep 0.05; done; rm -rf "$2"';
    const args = ['-c', script, 'sh', String(server.pid), dataDir];
    spawn('/bin/sh', args, { detached: true, stdio: 'ignore' }).unref();
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      forget();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * A database is more than 600 files, each test file makes some, and on a disk one takes a tenth of a second of processor time
 * and more; in memory, twenty milliseconds.
 */
async function hasRoomInMemory(): Promise<boolean> {
  // Who says where temporary files go is obeyed.
  if (process.env['TMPDIR'] !== undefined || process.availableMemory() < 2 * ROOM_BYTES) return false;
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/**
 * Runs the clean-up when a signal, such as Ctrl-C, ends the run without the tear-down.
 * @returns calls it off
 */
function whenCutShort(cleanUp: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const forget = () => {
    process.off('exit', cleanUp);
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    forget();
    cleanUp();
    // Having listened, we owe the signal its effect, unless others listen too and see to it.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once('exit', cleanUp);
  for (const signal of signals) process.once(signal, onSignal);
  return forget;
}

/** Folders of runs that were killed. */
async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const folder = join(place, name);
    const wasLocked = await access(join(folder, 'postgres.lock')).then(
      () => true,
      () => false,
    );
    if (wasLocked && (await findOwner(folder)) === undefined)
      await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a Docker engine serves the API at a DOCKER_HOST; one that is silent for so long does not. */
export async function dockerAnswers(host: string, patienceMs = DOCKER_ANSWER_MS): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (!URL.canParse(host)) return false;
  const { protocol, hostname, port, pathname } = new URL(host);
  const where = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port: port || 2375 };
  const request = get({ ...where, path: '/_ping', timeout: patienceMs }, (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  request.once('timeout', () => request.destroy());
  request.once('close', () => resolve(false));
  request.once('error', () => resolve(false));
  return promise;
}
