import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = new URL('../../', import.meta.url).pathname;
/** Of the administrator. */
export const PASSWORD = 'Correct-Horse-9';

/** Credentials of the administrator, as HTTP Basic. */
export const AUTHORIZATION = `Basic ${Buffer.from(`svc-admin:${PASSWORD}`).toString('base64')}`;

export interface ServiceOptions {
  readonly databaseUrl: string;
  readonly project: string;
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly nodeArguments?: readonly string[];
  /** The checkout that it runs from. Default: this one. */
  readonly root?: string;
}

/** A real node of ours, in a process of its own, with the settings it has in production. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts a node and waits until it listens. It is asked to stop, and waited for, when it is disposed of. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), 'src/main.ts', 'start'], {
    cwd: options.root ?? ROOT,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: options.databaseUrl,
      SVC_PROJECT: options.project,
      SVC_NODE_ID: options.name ?? 'bench',
      SVC_ADMIN_PASSWORD: PASSWORD,
      PORT: '0',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killIt = () => void child.kill('SIGKILL');
  process.once('exit', killIt);
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => {
      process.off('exit', killIt);
      resolve(code ?? signal ?? 1);
    }),
  );
  const lines: string[] = [];
  const up = new Promise<string>((resolve) => {
    const reader = createInterface({ input: child.stdout });
    reader.on('line', (line) => {
      lines.push(line);
      const url = /"msg":"listening on ([^"]+)"/.exec(line)?.[1];
      if (url === undefined) return;
      // Its log is drained unread from here on: reading it would take part of the machine.
      reader.removeAllListeners('line');
      reader.close();
      child.stdout.resume();
      resolve(url);
    });
  });
  const started = await Promise.race([up, ended.then((status) => ({ status }))]);
  if (typeof started !== 'string') {
    throw new Error(`The node ended with ${started.status}:\n${lines.join('\n')}`);
  }
  return {
    url: started,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(killIt, 20_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** A project location with nothing but the given files (path → JSON). */
export async function createProject(
  files: Readonly<Record<string, unknown>>,
): Promise<AsyncDisposable & { readonly location: string }> {
  const location = await mkdtemp(join(tmpdir(), 'svc-bench-project-'));
  for (const [path, content] of Object.entries({ 'conf/.keep': '', ...files })) {
    await mkdir(dirname(join(location, path)), { recursive: true });
    await writeFile(join(location, path), JSON.stringify(content));
  }
  return { location, [Symbol.asyncDispose]: () => rm(location, { recursive: true, force: true }) };
}

/** One call as the administrator. @returns the body */
export async function call(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/svc/${path}`, {
    method,
    headers: { Authorization: AUTHORIZATION, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
