import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
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
  readonly commit: string;
  /** Over the last minute, before the first benchmark. */
  readonly loadBefore: number;
}

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
    commit: commitOf(),
    loadBefore: Math.round(loadavg()[0]! * 100) / 100,
  };
}

function commitOf(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const dirty = git('status', '--porcelain', '--', 'src', 'workers', 'migrations', 'conf') !== '';
    return git('rev-parse', '--short', 'HEAD') + (dirty ? ' and uncommitted changes' : '');
  } catch {
    return 'unknown';
  }
}
