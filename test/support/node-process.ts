import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ADMIN_PASSWORD, type Api, apiOf } from './api.ts';
import { COMMON_RING } from './key-ring.ts';
import { databaseEnvironment } from './postgres.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

export interface NodeProcessOptions {
  readonly name: string;
  readonly databaseUrl: string;
  readonly project: string;
  readonly environment?: Record<string, string>;
  readonly flags?: readonly string[];
}

/** A log line of the node; `kind` is the kind of its observation. */
export type LogLine = Record<string, unknown> & { readonly kind?: string; readonly msg: string };

/** A real server process. */
export interface NodeProcess extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly api: Api;
  readonly pid: number;
  readonly lines: readonly LogLine[];
  /** Resolves with the first line, past or future, that fits. */
  logged(fits: (line: LogLine) => boolean): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts a node and waits until it listens. */
export async function startNodeProcess(options: NodeProcessOptions): Promise<NodeProcess> {
  const child = spawn(process.execPath, ['src/main.ts', 'start', ...(options.flags ?? [])], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ...databaseEnvironment(options.databaseUrl),
      SVC_PROJECT: options.project,
      SVC_NODE_ID: options.name,
      SVC_ADMIN_PASSWORD: ADMIN_PASSWORD,
      SVC_SCRIPT_THREADS: '1',
      SVC_HTTP_THREADS: process.env['SVC_TEST_HTTP_THREADS'] ?? '0',
      SVC_DATABASE_POOL: '5',
      // A machine that is busy with other tests is no database that does not answer.
      SVC_REQUEST_DEADLINE: '60',
      SVC_LOG_LEVEL: 'debug',
      PORT: '0',
      SVC_KEYS: COMMON_RING,
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = readLines(child);
  // Not `exit`: what it has said may still be on the way.
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1)),
  );
  // A node fires before it listens: a fault that was put in may come first.
  const up = log.wait((line) => line.kind === 'server.started' || line.kind === 'test.fault');
  const started = await Promise.race([up, ended]);
  if (typeof started !== 'object') {
    throw new Error(`Node ${options.name} ended with ${started}:\n${log.text()}`);
  }
  const url = String(started.msg).replace('listening on ', '');
  return {
    name: options.name,
    url,
    api: apiOf(url),
    pid: child.pid!,
    lines: log.lines,
    logged: log.wait,
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function readLines(child: ChildProcess) {
  const lines: LogLine[] = [];
  const raw: string[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on('line', (text) => {
      raw.push(text);
      if (!text.startsWith('{')) return;
      const line = JSON.parse(text) as LogLine;
      lines.push(line);
      for (const look of waiting) look(line);
    });
  }
  return {
    lines,
    text: () => raw.join('\n'),
    wait: (fits: (line: LogLine) => boolean) =>
      new Promise<LogLine>((resolve) => {
        const past = lines.find(fits);
        if (past !== undefined) return resolve(past);
        const look = (line: LogLine) => {
          if (!fits(line)) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
      }),
  };
}
