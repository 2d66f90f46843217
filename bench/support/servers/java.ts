import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where servers of others are built and unpacked: with the packages, so nothing of theirs is ever committed. */
const HOME = join(import.meta.dirname, '../../../node_modules/.cache/svc-bench-peers');
const DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
/** A first start makes a hundred tables, on a machine that may have much else to do. */
const PATIENCE_MS = 900_000;
const LOOK_MS = 200;

/** A server of another house, on the same Postgres. */
export interface PeerServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why no server in Java can be built here; undefined where one can. */
export function whyNoJava(): string | undefined {
  for (const [program, flag] of [
    ['java', '-version'],
    ['mvn', '-v'],
  ] as const) {
    if (spawnSync(program, [flag]).status !== 0) return `there is no '${program}' on the PATH`;
  }
  return undefined;
}

/** A folder for one of them. */
export async function peerFolder(name: string): Promise<string> {
  const folder = join(HOME, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Unpacks an artifact of Maven Central, such as `group:name:1.0:zip`. @throws Error what Maven says */
export function unpackArtifact(artifact: string, into: string): void {
  maven(into, [`${DEPENDENCIES}:unpack`, `-Dartifact=${artifact}`, `-DoutputDirectory=${into}`]);
}

/** @throws Error what Maven says */
export function maven(folder: string, args: readonly string[]): void {
  runProgram('mvn', ['-q', '-B', ...args], folder);
}

/** @throws Error what the program says */
export function runProgram(program: string, args: readonly string[], folder: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}

/** For programs that only know how to write these apart. */
export function jdbcOf(databaseUrl: string) {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  return {
    url: `jdbc:postgresql://${hostname}:${port || 5432}${pathname}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A port was asked for');
  return address.port;
}

/** Starts a program and waits until `ready` is answered well. @throws Error with what it printed when it ends instead */
export async function startProgram(
  [program, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  ready: string,
): Promise<{ readonly child: ChildProcess & { pid: number }; stop(): Promise<void> }> {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killIt = () => void child.kill('SIGKILL');
  process.once('exit', killIt);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${printed}`);
    if (performance.now() > until) throw new Error(`${program} does not answer at ${ready}: ${printed}`);
    const isUp = await fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    await delay(LOOK_MS);
  }
  if (child.pid === undefined) throw new Error(`${program} has no process`);
  return {
    child: Object.assign(child, { pid: child.pid }),
    async stop() {
      process.off('exit', killIt);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
