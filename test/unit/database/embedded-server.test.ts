import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { identify } from '../../../src/database/embedded/embedded-process.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/database/embedded/embedded-server.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts';
import '../../support/takes-long.ts';

const settings = { fsync: 'off' };
const isRoot = process.getuid?.() === 0;

let root: string;
const folders: string[] = [];
const servers: EmbeddedServer[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-embedded-'));
  folders.push(root);
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  for (const server of servers.splice(0)) await server.stop();
});

// Not after each test: ext4 passes over the inodes that were freed in the last seconds one by one, which makes
// the next copies of a database ten times slower.
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function start(folder = root, observe?: (message: string) => void): Promise<EmbeddedServer> {
  const options = { dataDir: join(folder, 'data'), settings };
  const server = await startEmbeddedServer(observe === undefined ? options : { ...options, observe });
  servers.push(server);
  return server;
}

/** A command of the command line, to its end. */
async function svc(command: string, folder: string) {
  const main = join(import.meta.dirname, '../../../src/main.ts');
  const child = spawn(process.execPath, [main, command], {
    env: { ...PROGRAM_ENVIRONMENT, SVC_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { output, code };
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** A second process that starts a server and says its process id. */
async function startInOtherProcess(): Promise<{ child: ChildProcess; postgresPid: number }> {
  const file = join(root, 'owner.ts');
  const modulePath = join(import.meta.dirname, '../../../src/database/embedded/embedded-server.ts');
  await writeFile(
    file,
    `import { startEmbeddedServer } from ${JSON.stringify(modulePath)};
     const server = await startEmbeddedServer(${JSON.stringify({ dataDir: join(root, 'data'), settings })});
     console.log(server.pid);
     process.stdin.resume();`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, postgresPid: Number(line) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Kills what would stop Postgres when its owner dies: all shells of Postgres's session. */
async function killWatcherOf(postgresPid: number): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(/\) /)[1]?.split(' ');
    const isShell = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'sh';
    if (isShell && Number(fields?.[3]) === postgresPid) process.kill(Number(pid), 'SIGKILL');
  }
}

describe('an embedded server', () => {
  test('serves a new folder, and keeps its data and its port over a restart', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([42]);
    expect(new URL(second.url).port).toBe(new URL(first.url).port);
    expect(second.directUrl).toBe(second.url);
    expect(second.version).toMatch(/^18\./);
  });

  test('is UTF-8, durable unless told otherwise, and big enough for a small production', async () => {
    const { url } = await start();
    const names = ['server_encoding', 'max_connections', 'shared_buffers', 'synchronous_commit', 'fsync'];
    const values = names.map((name) => `current_setting('${name}')`).join();
    expect(await query(url, `SELECT ${values}`)).toEqual(['UTF8', '200', '128MB', 'on', 'off']);
    expect(await query(url, `SELECT upper('é') || (SELECT current_user)`)).toEqual(['Ésvc']);
  });

  test('lets nobody in without the password, which only the owner can read', async () => {
    const server = await start();
    const address = new URL(server.url);
    address.password = 'guess';
    await expect(query(address.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    const access = join(root, 'data', 'postgres.json');
    expect((await stat(access)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(access, 'utf8'))).toMatchObject({
      port: Number(new URL(server.url).port),
    });
  });

  test('has a password of its own in each folder', async () => {
    await mkdir(join(root, 'other'));
    const [left, right] = await Promise.all([start(), start(join(root, 'other'))]);
    expect(new URL(left.url).password).not.toBe(new URL(right.url).password);
    expect(left.pid).not.toBe(right.pid);
    await query(left.url, 'CREATE TABLE mine ()');
    expect(await query(right.url, `SELECT to_regclass('mine')`)).toEqual([null]);
  });

  test('takes another port when somebody listens on the remembered one', async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const squatter = createServer();
    // Unless another program has been faster, which does as well.
    await new Promise((resolve) => {
      squatter.once('error', resolve);
      squatter.listen(port, '127.0.0.1', () => resolve(undefined));
    });
    const second = await start();
    expect(await query(second.url, 'SELECT 1')).toEqual([1]);
    expect(Number(new URL(second.url).port)).not.toBe(port);
    squatter.close();
  });

  test('stops at once although sessions are open, and stopping twice is harmless', async () => {
    const server = await start();
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    await Promise.all([server.stop(), server.stop()]);
    await server.ended;
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
  });

  test('gives test databases that are dropped even when somebody is connected', async () => {
    const { url } = await start();
    let name: string;
    {
      await using database = await createTestDatabase({ serverUrl: url });
      name = database.name;
      const client = new pg.Client({ connectionString: database.url });
      client.on('error', () => {});
      await client.connect();
      await client.query('CREATE TABLE seed AS SELECT 7 AS value');
      await client.end();
      await using copy = await createTestDatabase({ serverUrl: url, template: database.name });
      expect(await query(copy.url, 'SELECT value FROM seed')).toEqual([7]);
      const lingering = new pg.Client({ connectionString: database.url });
      lingering.on('error', () => {});
      await lingering.connect();
    }
    expect(await query(url, `SELECT count(*)::int FROM pg_database WHERE datname = '${name}'`)).toEqual([0]);
  });
});

describe('a data folder', () => {
  test('in use by a living process is refused by naming it', async () => {
    const { child } = await startInOtherProcess();
    await expect(start()).rejects.toThrow(
      new RegExp(
        `in use by process ${child.pid} — choose another SVC_DATA_DIR.*DATABASE_URL.*DB_DATA_DIR_IN_USE`,
      ),
    );
  });

  test('in use by a node is brought up to date beside it', async () => {
    const server = await start();
    const { code, output } = await svc('migrate', root);
    expect([code, output.split('\n')[0]]).toEqual([0, expect.stringMatching(/^applied 0001_/)]);
    expect(await svc('migrate', root)).toEqual({
      code: 0,
      output: expect.stringMatching(/^The schema is up to date \(\d+ migrations\)\.$/m),
    });
    expect(await query(server.url, 'select 1')).toEqual([1]);
  });

  test('in use by this process is refused too, and one of several starts at once wins', async () => {
    const outcomes = await Promise.allSettled([start(), start(), start()]);
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(await query(servers[0]!.url, 'SELECT 1')).toEqual([1]);
  });

  test('is usable again after kill -9 of Postgres', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    expect(await query((await start()).url, 'SELECT answer FROM kept')).toEqual([42]);
  });

  test('waits for the sessions of a killed Postgres', async () => {
    const first = await start();
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => {});
    await client.connect();
    const busy = client.query('SELECT count(*) FROM generate_series(1, 1e12)').catch(() => {});
    expect(await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')).toEqual([]);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const again = start();
    client.connection.stream.destroy();
    await busy;
    expect(await query((await again).url, 'SELECT answer FROM kept')).toEqual([42]);
  });

  test('is usable again after kill -9 of its owner, whose Postgres ends by itself', async () => {
    const { child, postgresPid } = await startInOtherProcess();
    await kill(child);
    await expect.poll(() => identify(postgresPid)).toBe(undefined);
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });

  test('whose orphaned Postgres still runs is taken over', async () => {
    const { child, postgresPid } = await startInOtherProcess();
    await killWatcherOf(postgresPid);
    await kill(child);
    const messages: string[] = [];
    const server = await start(root, (message) => messages.push(message));
    expect(messages.join()).toContain(`Stopping Postgres (process ${postgresPid})`);
    expect(server.pid).not.toBe(postgresPid);
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
  });

  test('with a postmaster.pid that names an unrelated process is usable, and that process lives on', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const pidFile = join(root, 'data', 'postgres', 'postmaster.pid');
    const lines = (await readFile(pidFile, 'utf8')).split('\n');
    const bystander = spawn('sleep', ['600']);
    children.push(bystander);
    await writeFile(pidFile, [bystander.pid, ...lines.slice(1)].join('\n'));
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
    expect(bystander.exitCode ?? bystander.signalCode).toBe(null);
  });

  test('is initialised anew when the copy of the template was cut short', async () => {
    await mkdir(join(root, 'data', 'postgres.new', 'base'), { recursive: true });
    await writeFile(join(root, 'data', 'postgres.new', 'PG_VERSION'), '18\n');
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });

  test('of another major version is refused and left alone', async () => {
    await (await start()).stop();
    const versionFile = join(root, 'data', 'postgres', 'PG_VERSION');
    await writeFile(versionFile, '15\n');
    await expect(start()).rejects.toThrow(
      /made by PostgreSQL 15, the embedded server is 18\.\d+.*DB_DATA_DIR_VERSION/,
    );
    expect(await readFile(versionFile, 'utf8')).toBe('15\n');
  });

  test('that holds something else is refused', async () => {
    await mkdir(join(root, 'data', 'postgres'), { recursive: true });
    await writeFile(join(root, 'data', 'postgres', 'holiday.jpg'), '');
    await expect(start()).rejects.toThrow('DB_DATA_DIR_INVALID');
  });

  test('without its password is refused with the name of the missing file', async () => {
    await (await start()).stop();
    await rm(join(root, 'data', 'postgres.json'));
    await expect(start()).rejects.toThrow(/postgres\.json with its password is missing.*DB_DATA_DIR_INVALID/);
  });

  test('says why Postgres does not start', async () => {
    const options = { dataDir: join(root, 'data'), settings: { shared_buffers: '1 parsec' } };
    await expect(startEmbeddedServer(options)).rejects.toThrow(/shared_buffers.*DB_EMBEDDED_START/);
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });
});

// Only root can start a Postgres as somebody else, so there is nothing to see as an ordinary user.
describe.skipIf(!isRoot)('started as root', () => {
  test('runs as an unprivileged user, also below a folder that this user cannot enter', async () => {
    const closed = await mkdtemp(join(homedir(), 'svc-closed-'));
    try {
      expect((await stat(closed)).mode & 0o777).toBe(0o700);
      const server = await start(closed);
      expect(await query(server.url, 'CREATE TABLE written ()')).toEqual([]);
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).toBeGreaterThan(0);
      await server.stop();
    } finally {
      await rm(closed, { recursive: true, force: true });
    }
  });

  // The packages may themselves lie below a folder that others cannot enter; then one is needed.
  test.skipIf(!isOpenToAll(import.meta.dirname))('keeps no capability where it needs none', async () => {
    const open = await mkdtemp('/var/tmp/svc-open-');
    try {
      await chmod(open, 0o755);
      const server = await start(open);
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toMatch(/^0+$/);
      await server.stop();
    } finally {
      await rm(open, { recursive: true, force: true });
    }
  });
});

function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToAll(dirname(folder));
}
