import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PgbenchTask {
  readonly url: string;
  /** Statements as in a script file of pgbench. */
  readonly script: string;
  readonly clients: number;
  /** Whole seconds. */
  readonly seconds: number;
  readonly variables?: Readonly<Record<string, string | number>>;
}

export interface PgbenchResult {
  readonly transactions: number;
  /** Without the time to connect. */
  readonly seconds: number;
}

/** Its version, or undefined when it is not on the PATH. */
export function findPgbench(): string | undefined {
  const { status, stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Runs a script with prepared statements, one thread a client. */
export async function runPgbench(task: PgbenchTask): Promise<PgbenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-pgbench-'));
  try {
    const file = join(folder, 'script.sql');
    await writeFile(file, task.script);
    const { stdout } = await promisify(execFile)(
      'pgbench',
      [
        '--no-vacuum',
        '--protocol=prepared',
        `--client=${task.clients}`,
        `--jobs=${task.clients}`,
        `--time=${task.seconds}`,
        `--file=${file}`,
        ...Object.entries(task.variables ?? {}).map(([name, value]) => `--define=${name}=${value}`),
      ],
      { env: { ...process.env, ...connectionOf(task.url) } },
    );
    const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
    const transactions = number(/transactions actually processed: (\d+)/);
    return { transactions, seconds: transactions / number(/tps = ([\d.]+)/) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In the environment, because everybody can read a command line. */
function connectionOf(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PGHOST: hostname,
    PGPORT: port === '' ? '5432' : port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
}
