import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { onServer } from './postgres.ts';

/** Where figures were measured, without a word about whose machine it is. */
export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
  readonly postgresSettings: Readonly<Record<string, string>>;
}

/** Above this share of its processors at work, a machine that should be idle has something else to do. */
const QUIET_BELOW_PERCENT = 8;
const LOOK_MS = 1_500;

export async function describeMachine(databaseUrl: string): Promise<Machine> {
  const settings = await onServer<{ name: string; setting: string }>(
    databaseUrl,
    `select name, current_setting(name) as setting from pg_settings
     where name in ('fsync', 'synchronous_commit', 'shared_buffers', 'full_page_writes', 'wal_compression')
     order by name`,
  );
  const [version] = await onServer<{ server_version: string }>(databaseUrl, 'show server_version');
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split('-')[0]}`,
    node: process.versions.node,
    postgres: version!.server_version,
    postgresSettings: Object.fromEntries(settings.map(({ name, setting }) => [name, setting])),
  };
}

/** What the machine does while nothing is measured. The load average would still tell of the last benchmark. */
export interface Quietness {
  readonly busyPercent: number;
  /** Over the last minute. */
  readonly load: number;
  readonly isQuiet: boolean;
}

export async function lookForQuiet(): Promise<Quietness> {
  const before = processorTimes();
  await delay(LOOK_MS);
  const after = processorTimes();
  const busyPercent = Math.round(100 * (1 - (after.idle - before.idle) / (after.total - before.total)));
  const load = Math.round(loadavg()[0]! * 100) / 100;
  return { busyPercent, load, isQuiet: busyPercent < QUIET_BELOW_PERCENT };
}

/** Milliseconds of all processors since the machine started. */
function processorTimes(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { idle, total };
}

/** What is measured: the commit, and whether the tree differs from it where that counts. */
export function describeCommit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const differs = git('status', '--porcelain', '--', 'src', 'workers', 'migrations', 'conf', 'bench/*.ts');
    return git('rev-parse', '--short', 'HEAD') + (differs === '' ? '' : ' and uncommitted changes');
  } catch {
    return 'unknown';
  }
}
