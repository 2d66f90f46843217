import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Remark, type Row, readPrinted } from './row.ts';

/** One that hangs is ended. None should take longer than five minutes on a quiet machine, or an hour with `--full`. */
const LONGEST_MS = 7 * 60_000;
const LONGEST_FULL_MS = 90 * 60_000;

export interface Outcome {
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
  readonly seconds: number;
  /** Absent when it ended well. */
  readonly failure?: string;
}

/** Runs a program with everything that it starts, shows what it prints, and gathers its rows. */
export async function runProgram(
  file: string,
  args: readonly string[],
  databaseUrl: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  const printed: (Row | Remark)[] = [];
  // A group of its own, so that its nodes and clients end with it.
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let ended: string | undefined;
  const end = (why: string) => {
    ended ??= why;
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const longestMs = args.includes('--full') ? LONGEST_FULL_MS : LONGEST_MS;
  const timer = setTimeout(() => end(`took longer than ${longestMs / 60_000} minutes`), longestMs);
  const onAbort = () => end('was interrupted');
  signal.addEventListener('abort', onAbort);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const each = readPrinted(line);
    if (each !== undefined) printed.push(each);
    console.log(line);
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('close', (code, by) =>
      resolve(ended ?? (code === 0 ? undefined : `failed with ${code ?? by}`)),
    );
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  return {
    rows: printed.filter((each): each is Row => !('remark' in each)),
    remarks: printed.flatMap((each) => ('remark' in each ? [each.remark] : [])),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    ...(failure === undefined ? {} : { failure }),
  };
}
