import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

/** A database of its own: MariaDB as a process of this test. */
export interface Mariadb extends AsyncDisposable {
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Ends it at once, and has it begin anew with what it has stored. */
  restart(): Promise<void>;
}

const PLACES = [
  process.env['SVC_TEST_MARIADB'] ?? '',
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/bin',
];
const programNamed = (name: string): string | undefined =>
  PLACES.map((place) => join(place, name)).find((path) => path !== name && existsSync(path));
const SERVER = programNamed('mariadbd');
const INSTALL = programNamed('mariadb-install-db');

/** Whether it is installed; `CI` demands it. */
export const HAS_MARIADB = SERVER !== undefined && INSTALL !== undefined;

if (!HAS_MARIADB) {
  const words = 'MariaDB is not installed (apt-get install mariadb-server), so that it is not asked';
  if (process.env['CI'] !== undefined) throw new Error(words);
  console.warn(words);
}

const PASSWORD = 'database-password';

/** @param tls its certificate */
export async function startMariadb(tls?: { readonly cert: string; readonly key: string }): Promise<Mariadb> {
  if (SERVER === undefined || INSTALL === undefined) throw new Error('MariaDB is not installed');
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-mariadb-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const { username } = userInfo();
  const own = ['--no-defaults', `--datadir=${folder}/data`, `--user=${username}`];
  await run(INSTALL, [...own, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    maxBuffer: 2 ** 24,
  });
  const certificates: string[] = [];
  if (tls !== undefined) {
    for (const name of ['cert', 'key'] as const) await writeFile(join(folder, `${name}.pem`), tls[name]);
    certificates.push(`--ssl-cert=${folder}/cert.pem`, `--ssl-key=${folder}/key.pem`);
  }
  const port = await freePort();
  const socket = join(folder, 'socket');
  const options = [
    ...own,
    ...certificates,
    `--port=${port}`,
    `--socket=${socket}`,
    `--pid-file=${folder}/pid`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    // What is committed outlives the process, and need not outlive the machine.
    '--innodb-flush-log-at-trx-commit=2',
    '--max-allowed-packet=64M',
  ];
  const program = SERVER;
  const login = { socketPath: socket, user: 'root', multipleStatements: true };
  const begin = async () => {
    const server = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    server.stderr.on('data', (text) => said.push(String(text)));
    const ended = once(server, 'exit');
    const failed = ended.then(() => {
      throw new Error(`MariaDB ended: ${said.join('')}`);
    });
    failed.catch(() => {});
    const end = async () => {
      server.kill('SIGKILL');
      await ended;
    };
    // It listens as soon as it takes logins.
    const asked = eventually(
      () => mysql.createConnection(login).catch(() => undefined),
      (connection) => connection !== undefined,
    );
    const root = await Promise.race([asked, failed]).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    if (root === undefined) throw new Error('MariaDB cannot be reached');
    // It is told when its server ends, and nobody asks it then.
    root.on('error', () => {});
    return { root, end };
  };
  let running = await begin();
  scope.defer(async () => {
    running.root.destroy();
    await running.end();
  });
  await running.root.query(`create database hr character set utf8mb4;
    create user svc@'127.0.0.1' identified by '${PASSWORD}'; grant all on hr.* to svc@'127.0.0.1'; use hr`);
  const opened = scope.move();
  return {
    port,
    database: 'hr',
    user: 'svc',
    password: PASSWORD,
    query: async (text, values = []) => (await running.root.query(text, [...values]))[0],
    async restart() {
      running.root.destroy();
      await running.end();
      running = await begin();
      await running.root.query('use hr');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
