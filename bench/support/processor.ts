import { readdirSync, readFileSync } from 'node:fs';
import { onServer } from './postgres.ts';

const MS_PER_TICK = 10;

/** What a process has had of the processor, in ms; undefined where the system does not tell. */
export function processCpuMs(pid: number): number | undefined {
  const ticks = ticksOf(pid);
  return ticks === undefined ? undefined : (ticks.user + ticks.system) * MS_PER_TICK;
}

/** What the main thread and all threads of a process have had of the processor, in microseconds; of those that still live. */
export function threadCpuMicroseconds(pid: number): { readonly main: number; readonly all: number } {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const nanoseconds = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0];
    return { isMain: Number(thread) === pid, microseconds: Number(nanoseconds) / 1_000 };
  });
  const sumOf = (some: typeof times) => some.reduce((sum, { microseconds }) => sum + microseconds, 0);
  return { main: sumOf(times.filter(({ isMain }) => isMain)), all: sumOf(times) };
}

/** Of a server of this machine with all its sessions, also those that have ended. */
export async function postgresCpuMs(url: string): Promise<number | undefined> {
  const [row] = await onServer<{ pid: number }>(
    url,
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid",
  );
  const own = ticksOf(row!.pid);
  if (own === undefined) return undefined;
  const children = readdirSync('/proc').flatMap((name) => {
    const ticks = /^\d+$/.test(name) ? ticksOf(Number(name)) : undefined;
    return ticks !== undefined && ticks.parent === row!.pid ? [ticks] : [];
  });
  const ticks = [own, ...children].reduce((sum, { user, system }) => sum + user + system, own.ended);
  return ticks * MS_PER_TICK;
}

function ticksOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      parent: fields[1]!,
      user: fields[11]!,
      system: fields[12]!,
      /** Of children that have been waited for. */
      ended: fields[13]! + fields[14]!,
    };
  } catch {
    return undefined;
  }
}
