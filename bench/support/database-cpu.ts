import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Nanoseconds on a processor that each server process has had, by process id. */
type CpuTimes = ReadonlyMap<number, number>;

/**
 * CPU time that Postgres spends for one database: of its sessions, in microseconds. Unlike the time on a clock it does
 * not depend on what else runs on the machine. Works where the server's processes can be seen.
 *
 * @param observer a connection to another database of the server, so that it does not count itself
 */
export async function databaseCpu<Result>(
  observer: pg.Client,
  database: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly microseconds: number }> {
  const before = await readTimes(observer, database);
  const result = await work();
  const after = await readTimes(observer, database);
  let nanoseconds = 0;
  for (const [pid, time] of after) nanoseconds += time - (before.get(pid) ?? 0);
  return { result, microseconds: nanoseconds / 1000 };
}

async function readTimes(observer: pg.Client, database: string): Promise<CpuTimes> {
  const { rows } = await observer.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = $1 and backend_type in ('client backend', 'parallel worker')`,
    [database],
  );
  const times = new Map<number, number>();
  for (const { pid } of rows) {
    const time = readTime(pid);
    if (time !== undefined) times.set(pid, time);
  }
  return times;
}

/** A session may have ended since it was listed. */
function readTime(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return undefined;
  }
}
