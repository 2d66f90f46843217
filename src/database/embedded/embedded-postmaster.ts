import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ActivationError } from '#errors/index.ts';
import { identify, isAlive, pidExists, programOf } from './embedded-process.ts';
import { type PostgresUser, spawnAs } from './embedded-user.ts';

/** A running Postgres: the main process that owns a data folder. */
export interface Postmaster {
  readonly pid: number;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 5;
const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 5_000;
const SLOW_START_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * Becomes Postgres by exec, and leaves behind a watcher that reads a pipe from the service. When the service
 * dies without a word, the pipe ends and the watcher asks Postgres to stop; a word on it dismisses the watcher.
 * The watcher is nobody's child (hence the second fork): Postgres distrusts children that it does not know.
 */
const LAUNCH = '( (read -r word <&3 || kill -INT $$) & ) >/dev/null 2>&1; exec "$@" 3<&-';

/** @throws ActivationError `DB_EMBEDDED_START` with the last lines of the log */
export async function startPostmaster(options: {
  readonly user: PostgresUser;
  readonly postgres: string;
  readonly pgData: string;
  readonly logFile: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly observe: (message: string) => void;
}): Promise<Postmaster> {
  const log = await openLog(options.logFile);
  const logStart = (await log.stat()).size;
  const settings = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnAs(
    options.user,
    '/bin/sh',
    ['-c', LAUNCH, 'sh', options.postgres, '-D', options.pgData, ...settings],
    // Its own session: a Ctrl-C in the terminal is for the service, which stops Postgres when it is done itself.
    { cwd: '/', stdio: ['ignore', log.fd, log.fd, 'pipe'], detached: true },
  );
  // Before anything else is waited for: a Postgres that refuses its settings has ended by then.
  const ended = endOf(child);
  await log.close();
  if (!(await becomesReady(child, options))) {
    await ended;
    throw cannotStart((await readFile(options.logFile)).subarray(logStart).toString('utf8'));
  }
  // Neither Postgres nor the pipe to its watcher keeps the service alive by itself.
  child.unref();
  (child.stdio[3] as Writable & { unref(): void }).unref();
  const pid = child.pid ?? 0;
  return {
    pid,
    ended,
    stop: async () => {
      child.ref();
      await stopProcess(pid, () => hasExited(child));
      await ended;
    },
  };
}

/**
 * Stops a Postgres that an earlier service left running on this data folder, and makes a `postmaster.pid` that
 * names some other program harmless. The caller holds the lock of the data folder.
 */
export async function stopOrphan(pgData: string, observe: (message: string) => void): Promise<void> {
  const pid = Number((await readPidFile(pgData))?.[0]);
  if (!(pid > 0)) return;
  const orphan = identify(pid);
  if (orphan !== undefined && (await isPostmasterOf(pid, pgData))) {
    observe(`Stopping Postgres (process ${pid}) that an earlier run left behind`);
    await stopProcess(pid, () => !isAlive(orphan));
  }
  // Where the id is another program's by now, or a zombie's that nobody buries (containers), Postgres would
  // refuse to start. It takes its own parent's id for stale, and still looks whether sessions of the dead
  // server hold the shared memory that the other lines name.
  const lines = await readPidFile(pgData);
  if (lines === undefined || !pidExists(pid)) return;
  await writeFile(join(pgData, 'postmaster.pid'), [process.pid, ...lines.slice(1)].join('\n'));
}

async function stopProcess(pid: number, isGone: () => boolean): Promise<void> {
  for (const [signal, graceMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', Number.POSITIVE_INFINITY],
  ] as const) {
    const startedAt = performance.now();
    if (!isGone()) process.kill(pid, signal);
    while (!isGone() && performance.now() - startedAt < graceMs) await delay(POLL_MS);
    if (isGone()) return;
  }
}

/** Reads what pg_ctl reads: the eighth line of postmaster.pid says whether sessions are served. */
async function becomesReady(
  child: ChildProcess,
  options: { readonly pgData: string; readonly observe: (message: string) => void },
): Promise<boolean> {
  let warnAt = performance.now() + SLOW_START_MS;
  while (!hasExited(child) && child.pid !== undefined) {
    const lines = await readPidFile(options.pgData);
    if (Number(lines?.[0]) === child.pid && lines?.[7]?.trim() === 'ready') return true;
    if (performance.now() > warnAt) {
      options.observe('Postgres is still starting, it may be recovering from a crash');
      warnAt += SLOW_START_MS;
    }
    await delay(POLL_MS);
  }
  return false;
}

async function endOf(child: ChildProcess): Promise<void> {
  const watcher = child.stdio[3] as Writable;
  // The watcher may be gone before its pipe is.
  watcher.on('error', () => {});
  await once(child, 'exit').catch(() => {});
  // Without the word the watcher would signal a process id that may belong to another program by then.
  watcher.end('done\n');
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function isPostmasterOf(pid: number, pgData: string): Promise<boolean> {
  if (!programOf(pid)?.startsWith('postgres')) return false;
  const workingFolder = await realpath(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingFolder === undefined || workingFolder === (await realpath(pgData));
}

async function readPidFile(pgData: string): Promise<string[] | undefined> {
  const text = await readFile(join(pgData, 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text?.split('\n');
}

async function openLog(path: string): ReturnType<typeof open> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
  return open(path, 'a', 0o600);
}

function cannotStart(log: string): ActivationError {
  const lines = log.split('\n').filter((line) => line !== '');
  const fatal = lines.filter((line) => /\b(FATAL|PANIC|HINT)\b/.test(line));
  return new ActivationError([
    {
      id: 'DB_EMBEDDED_START',
      where: '',
      message: `The embedded Postgres did not start: ${(fatal.length > 0 ? fatal : lines).slice(-3).join(' ')}`,
      hint: 'see postgres.log in the data folder',
    },
  ]);
}
