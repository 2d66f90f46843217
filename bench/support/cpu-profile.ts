import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileLine {
  readonly name: string;
  /** Of the time in which the thread was not idle. */
  readonly percent: number;
}

/** Where a thread spent its time, most first. */
export interface ProfileSummary {
  readonly busyPercent: number;
  /** Time in the functions of a package or room themselves. */
  readonly places: readonly ProfileLine[];
  /** Time in a function itself. */
  readonly functions: readonly ProfileLine[];
  /** Time in a function and in what it called before its first await, for functions of ours and of packages. */
  readonly withCallees: readonly ProfileLine[];
}

/** Sums up each profile that `node --cpu-prof --cpu-prof-dir=…` left in a folder: one a thread, 0 is the main one. */
export async function summarizeProfiles(folder: string): Promise<Map<number, ProfileSummary>> {
  const summaries = new Map<number, ProfileSummary>();
  for (const file of await readdir(folder)) {
    const thread = /^CPU\.\d+\.\d+\.\d+\.(\d+)\..*cpuprofile$/.exec(file)?.[1];
    if (thread === undefined) continue;
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
    summaries.set(Number(thread), summarize(profile));
  }
  return summaries;
}

export function summarize(profile: CpuProfile): ProfileSummary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const callers = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  const withCallees = new Map<string, number>();
  let total = 0;
  let idle = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = nodes.get(id)!;
    const us = profile.timeDeltas[index]!;
    total += us;
    if (frame.functionName === '(idle)') {
      idle += us;
      continue;
    }
    add(functions, nameOf(frame), us);
    add(places, placeOf(frame), us);
    const stack = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      const caller = nodes.get(at)!;
      if (caller.url.startsWith('file:')) stack.add(nameOf(caller));
    }
    for (const name of stack) add(withCallees, name, us);
  }
  const busy = total - idle;
  const top = (sums: Map<string, number>, count: number) =>
    [...sums]
      .sort(([, left], [, right]) => right - left)
      .slice(0, count)
      .map(([name, us]) => ({ name, percent: Math.round((us / busy) * 1000) / 10 }));
  return {
    busyPercent: Math.round((busy / total) * 1000) / 10,
    places: top(places, 15),
    functions: top(functions, 15),
    withCallees: top(withCallees, 40),
  };
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  return `${functionName || '(anonymous)'} ${fileOf(url)}:${lineNumber + 1}`;
}

function placeOf({ url, functionName }: CallFrame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  return /\/(src\/[^/]+|workers)/.exec(url)?.[1] ?? url;
}

function fileOf(url: string): string {
  return url.replace(/^.*\/(?=src\/|workers\/|node_modules\/)/, '');
}

function add(sums: Map<string, number>, key: string, us: number): void {
  sums.set(key, (sums.get(key) ?? 0) + us);
}
