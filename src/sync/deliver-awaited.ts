import { setTimeout as delay } from 'node:timers/promises';
import type { UnitOfWork } from '#database/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { apart } from '#work/index.ts';
import type { Mapping } from './mapping.ts';
import { wakeBehind } from './outbox.ts';
import { Round } from './outbox-jobs.ts';
import { isOutside } from './outside.ts';
import type { Stage, StoringPlatform } from './stage.ts';

/** For so long an answer waits for its deliveries. */
const LONGEST_WAIT_MS = 3_000;
/** By then a job comes for what has not been delivered. */
export const AFTER_WAIT_MS = LONGEST_WAIT_MS + 1_000;
/** Nobody waits for so long for a mapping for which somebody has waited in vain: what is slow must not hold up all that a node is asked. */
const SLOW_MS = 30_000;

const slow = new WeakMap<Mapping, number>();

/** Whether somebody waits for the answer to a request, and is to find the targets of the mapping in line when it comes. */
export function isAwaited(mapping: Mapping, { line }: WriteContext): boolean {
  const { delivery, target } = mapping;
  const isSlow = performance.now() < (slow.get(mapping) ?? 0);
  return delivery.isWaited && isOutside(target) && line !== undefined && !isSlow;
}

interface Awaited {
  readonly at: number;
  readonly effect: unknown;
  readonly objects: { readonly mapping: string; readonly sourceId: string }[];
}
const awaited = new WeakMap<UnitOfWork, Awaited>();

/** Has what was put off delivered right behind the commit, and the answer wait for that, but not for long. */
export function deliverBehindCommit(
  { context: { unitOfWork }, mapping }: Stage,
  platform: StoringPlatform,
  sourceId: string,
): void {
  const object = { mapping: mapping.name, sourceId };
  const known = awaited.get(unitOfWork);
  // It may have been rolled back with a part of the unit of work.
  if (known !== undefined && unitOfWork.effects[known.at] === known.effect) {
    known.objects.push(object);
    return;
  }
  const objects = [object];
  unitOfWork.afterCommit('targets in other systems are brought in line', async () => {
    const work = new AbortController();
    const over = delay(LONGEST_WAIT_MS, undefined, { signal: work.signal, ref: false }).catch(
      () => undefined,
    );
    const end: End = { isOver: false };
    const done = deliverAll(platform, objects, end).finally(() => work.abort());
    await Promise.race([done, over]);
    end.isOver = true;
    if (end.at !== undefined) slow.set(end.at, performance.now() + SLOW_MS);
    // What is under way by then is told by its row.
    done.catch(() => undefined);
  });
  const at = unitOfWork.effects.length - 1;
  awaited.set(unitOfWork, { at, effect: unitOfWork.effects[at], objects });
}

interface End {
  isOver: boolean;
  /** The mapping whose delivery is under way. */
  at?: Mapping | undefined;
}

async function deliverAll(platform: StoringPlatform, objects: Awaited['objects'], end: End): Promise<void> {
  const rounds = new Map<string, Round>();
  const tried = new Set<string>();
  // When the job comes, it finds what this node has left of them, should it end.
  const until = performance.now() + LONGEST_WAIT_MS + 500;
  for (const { mapping: name, sourceId } of objects) {
    const key = JSON.stringify([name, sourceId]);
    const mapping = platform.mappings.named(name);
    if (end.isOver || mapping === undefined || tried.has(key)) continue;
    tried.add(key);
    const round = rounds.get(name) ?? new Round(platform, mapping);
    rounds.set(name, round);
    // Its system is away, or nothing can come of the mapping: that is for jobs.
    end.at = mapping;
    if (round.pauseMs === 0) await round.deliverOne(sourceId, Math.max(0, until - performance.now()));
    end.at = undefined;
  }
  const names = [...rounds.keys()].filter((name) => platform.mappings.behind(name).length > 0);
  if (names.length > 0) await apart(platform, (unitOfWork) => wakeBehind(platform, unitOfWork, names));
}
