import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';

/** Postgres does not run as root. */
export interface Ids {
  readonly uid?: number;
  readonly gid?: number;
}

export function idsOfPostgres(): Ids {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A program that is started, killed, frozen and started again; what it says goes to a file. */
export class Program {
  readonly #command: readonly [string, ...string[]];
  readonly #logFile: string;
  readonly #ids: Ids;
  #child: ChildProcess | undefined;

  constructor(command: readonly [string, ...string[]], logFile: string, ids: Ids) {
    this.#command = command;
    this.#logFile = logFile;
    this.#ids = ids;
  }

  start(): void {
    const [program, ...args] = this.#command;
    const log = openSync(this.#logFile, 'a');
    const child = spawn(program, args, { stdio: ['ignore', log, log], ...this.#ids });
    const killIt = () => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.off('exit', killIt));
    this.#child = child;
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }
}

/** A process and all below it. */
export function familyOf(parent: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
  return [parent, ...children.flatMap(familyOf)];
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Whoever has ended meanwhile needs none. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}
