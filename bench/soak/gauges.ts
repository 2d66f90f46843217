import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from './check/check.ts';
import type { SoakNode } from './node.ts';

const MIB = 1_048_576;
const SAMPLE_MS = 2_000;
/** Code is compiled and caches fill for so long. */
const WARM_MS = 120_000;
const LEAST_SAMPLES = 45;
/** A node may hold this much more at the end of its life than after its warm-up. */
const MOST_GROWTH_MIB = 64;
const MOST_GROWTH_SHARE = 0.35;

/** What a node that has nothing to do shows of itself, at most. */
const AT_REST: Readonly<Record<string, number>> = {
  svc_db_pool_size: 10,
  svc_db_pool_waiting: 0,
  svc_script_threads_busy: 0,
  svc_script_sandboxes_busy: 1,
  svc_firings_running: 1,
  svc_jobs_running: 0,
  svc_timers: 200,
  svc_sockets: 60,
};
/** As long as a slow machine may take; a gauge that shows a leak never comes down. */
const REST_PATIENCE_MS = 180_000;

export interface Sample {
  readonly node: string;
  /** Tells the lives of a node apart. */
  readonly livedFrom: number;
  readonly at: number;
  readonly rssMib: number;
  readonly heapMib: number | null;
}

/** Watches how much memory the nodes take, for as long as the soak lasts. */
export class MemoryWatch {
  readonly samples: Sample[] = [];
  readonly #nodes: readonly SoakNode[];
  #timer: NodeJS.Timeout | undefined;
  #isSampling = false;

  constructor(nodes: readonly SoakNode[]) {
    this.#nodes = nodes;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sample(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    for (const node of this.#nodes) {
      if (node.url === undefined || node.pid === undefined) continue;
      const { name, livedFrom, url, pid } = node;
      const rssMib = residentMib(pid);
      const gauges = await readGauges(url).catch(() => undefined);
      if (rssMib === undefined || node.livedFrom !== livedFrom) continue;
      const heap = gauges?.get('nodejs_heap_size_used_bytes');
      const heapMib = heap === undefined ? null : heap / MIB;
      this.samples.push({ node: name, livedFrom, at: Date.now(), rssMib, heapMib });
    }
    this.#isSampling = false;
  }
}

export interface Growth {
  readonly node: string;
  readonly minutes: number;
  readonly rssFromMib: number;
  readonly rssToMib: number;
  readonly heapFromMib: number | null;
  readonly heapToMib: number | null;
  readonly isTooMuch: boolean;
}

/** How each life that was long enough grew after its warm-up: the median of its first third beside that of its last. */
export function measureGrowth(samples: readonly Sample[]): Growth[] {
  const lives = Map.groupBy(samples, ({ node, livedFrom }) => `${node} ${livedFrom}`);
  return [...lives.values()].flatMap((life) => {
    const warm = life.filter(({ at, livedFrom }) => at - livedFrom > WARM_MS);
    if (warm.length < LEAST_SAMPLES) return [];
    const third = Math.floor(warm.length / 3);
    const [first, last] = [warm.slice(0, third), warm.slice(-third)];
    const of = (part: readonly Sample[], read: (sample: Sample) => number | null) =>
      median(part.map(read).filter((value) => value !== null));
    const [rssFromMib, rssToMib] = [of(first, (s) => s.rssMib)!, of(last, (s) => s.rssMib)!];
    const growth = rssToMib - rssFromMib;
    return {
      node: life[0]!.node,
      minutes: (warm.at(-1)!.at - warm[0]!.at) / 60_000,
      rssFromMib,
      rssToMib,
      heapFromMib: of(first, (s) => s.heapMib),
      heapToMib: of(last, (s) => s.heapMib),
      isTooMuch: growth > MOST_GROWTH_MIB && growth > rssFromMib * MOST_GROWTH_SHARE,
    };
  });
}

/**
 * Waits until each gauge of each node has once been that of a node at rest; schedules in memory go on, so not all need be
 * so at the same moment. @returns those that never were
 */
export async function findLeaks(nodes: readonly SoakNode[]): Promise<Finding[]> {
  const rows: Record<string, unknown>[] = [];
  const deadline = Date.now() + REST_PATIENCE_MS;
  for (const { name, url } of nodes) {
    const lowest = new Map<string, number>();
    for (;;) {
      const gauges = url === undefined ? [] : await readGauges(url).catch(() => []);
      for (const [gauge, value] of gauges) lowest.set(gauge, Math.min(value, lowest.get(gauge) ?? value));
      const over = offencesAtRest(name, lowest);
      if (over.length > 0 && Date.now() < deadline) {
        await delay(250);
        continue;
      }
      rows.push(...over);
      break;
    }
  }
  if (rows.length === 0) return [];
  return [{ check: 'gauges', promise: 'a node with nothing to do holds nothing', rows }];
}

/** @param gauges of one node, by name */
export function offencesAtRest(node: string, gauges: ReadonlyMap<string, number>): Record<string, unknown>[] {
  return Object.entries(AT_REST).flatMap(([gauge, most]) => {
    const value = gauges.get(gauge);
    return value !== undefined && value <= most ? [] : [{ node, gauge, value: value ?? null, most }];
  });
}

export async function readGauges(url: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(20_000) });
  const lines = (await response.text()).split('\n').filter((line) => /^\w+ [\d.e+]+$/.test(line));
  return new Map(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]));
}

function residentMib(pid: number): number | undefined {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
