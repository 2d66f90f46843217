import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../src/database/embedded/embedded-access.ts';

/** Why tests through PgBouncer are skipped where there is none. */
export const NO_PGBOUNCER = 'no pgbouncer on the PATH or in /usr/sbin; on Debian: apt-get install pgbouncer';

/** A real PgBouncer in transaction mode in front of a Postgres server. */
export interface PgBouncer extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  /** The database of the same name as that of the URL, through PgBouncer. */
  through(url: string): string;
}

export async function findPgBouncer(): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  for (const folder of folders) {
    const file = join(folder, 'pgbouncer');
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** @param poolSize sessions that it opens for each database, for however many clients */
export async function startPgBouncer(program: string, serverUrl: string, poolSize = 20): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-pgbouncer-'));
  // It refuses to run as root, and whoever it is then must read its configuration.
  await chmod(folder, 0o755);
  const ownPort = await freePort(undefined);
  const file = join(folder, 'pgbouncer.ini');
  const server = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await writeFile(
    file,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 2000
`,
  );
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await isUp(child, ended);
  const address = `127.0.0.1:${ownPort}`;
  return {
    address,
    through(url) {
      const pooled = new URL(url);
      pooled.host = address;
      return pooled.href;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It says so in its log, which is read on so that it never waits for a reader. */
async function isUp(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const said: string[] = [];
  const up = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (said.length < 20) said.push(line);
      if (line.includes('process up')) resolve(true);
    });
  });
  if (!(await Promise.race([up, ended.then(() => false)]))) throw new Error(said.join('\n'));
}
