import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
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

/** The functions, and the packages and rooms, in which a thread spent its time itself, most first. */
export interface ProfileSummary {
  readonly busyPercent: number;
  readonly functions: readonly ProfileLine[];
  readonly places: readonly ProfileLine[];
}

/** Sums up the profile of the main thread that `node --cpu-prof --cpu-prof-dir=…` left in a folder. */
export async function summarizeProfile(folder: string): Promise<ProfileSummary> {
  const file = (await readdir(folder)).find((name) => /^CPU\.\d+\.\d+\.\d+\.0\..*cpuprofile$/.test(name));
  if (file === undefined) throw new Error(`${folder} holds no profile of a main thread`);
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  let total = 0;
  let idle = 0;
  for (const [index, id] of profile.samples.entries()) {
    const { functionName, url, lineNumber } = nodes.get(id)!;
    const us = profile.timeDeltas[index]!;
    total += us;
    if (functionName === '(idle)') {
      idle += us;
      continue;
    }
    const place = placeOf(url, functionName);
    add(functions, `${functionName || '(anonymous)'} ${fileOf(url)}:${lineNumber + 1}`, us);
    add(places, place, us);
  }
  const busy = total - idle;
  const top = (sums: Map<string, number>, count: number) =>
    [...sums]
      .sort(([, left], [, right]) => right - left)
      .slice(0, count)
      .map(([name, us]) => ({ name, percent: Math.round((us / busy) * 1000) / 10 }));
  return {
    busyPercent: Math.round((busy / total) * 1000) / 10,
    functions: top(functions, 25),
    places: top(places, 20),
  };
}

function placeOf(url: string, functionName: string): string {
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
