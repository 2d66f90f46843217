import { runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { errorIdOf } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { doubling, retryAfter } from '#work/index.ts';
import { pruneAttached } from './attached-repository.ts';
import { causeOf } from './cause.ts';
import { giveUpChange } from './give-up.ts';
import type { Mapping } from './mapping.ts';
import { missingIn } from './missing-in.ts';
import {
  hasDue,
  listOverdue,
  pruneDead,
  putInOutbox,
  putOffs,
  takingFromOutbox,
} from './outbox-repository.ts';
import type { Stage, StoringPlatform, SyncPlatform } from './stage.ts';
import { keptError } from './sync-record.ts';
import { wake } from './wake.ts';

/** How long what has failed waits at first; each pause is twice as long as the one before. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/** Objects whose targets follow in the unit of work of their change; those of others wait for their turn. */
const MOST_INSIDE = 200;

/** After so long no job is waited for any more. */
const OVERDUE_MS = 30_000;

/** Days for which what was given up is kept. */
const DEAD_DAYS = 30;
const PRUNED_AT_ONCE = 10_000;

/** How many objects have been delivered in a unit of work. */
const delivered = new WeakMap<UnitOfWork, number>();

/** Whether there is room for another one. */
export function takesInside({ unitOfWork }: WriteContext): boolean {
  const count = (delivered.get(unitOfWork) ?? 0) + 1;
  delivered.set(unitOfWork, count);
  return count <= MOST_INSIDE;
}

/** Leaves a delivery to a job, so long after the commit, which stores all that was put off at once. */
export async function putOff(
  { platform, context, mapping }: Stage,
  sourceId: string,
  oldSource: JsonObject | null,
  inMs = 0,
): Promise<void> {
  const { unitOfWork } = context;
  const old_value = await sealed(platform, oldSource);
  const row = { mapping: mapping.name, source_id: sourceId, old_value, cause: causeOf(context) };
  await wakeOnce(platform, unitOfWork, mapping, inMs);
  unitOfWork.writeAtCommit(putOffs, [row]);
}

/**
 * Has a delivery tried again that has failed, a few times.
 *
 * @param oldSource what the source was, where it is gone: a target may be found by that alone
 * @param failures how often it has failed
 */
export async function tryAgain(
  { platform, context, mapping }: Stage,
  { sourceId, oldSource }: { readonly sourceId: string; readonly oldSource: JsonObject | null },
  failures: number,
  error: unknown,
): Promise<void> {
  const { unitOfWork } = context;
  const { mostAttempts: most } = platform.mappings.retryPolicyOf(mapping.source);
  const isFinal = errorIdOf(error) === 'SYSTEM_OUTCOME_UNKNOWN';
  const delayMs = retryAfter(failures, { most, isFinal, pauseMs: pauseAfter });
  const isDead = delayMs === undefined;
  const stage = { platform, context, mapping };
  // Somebody has to look, whatever is to become of what fails.
  if (isDead && !isFinal && !(await giveUpChange(stage, sourceId, failures, error)))
    return takeOut(stage, sourceId);
  await putInOutbox(await unitOfWork.db(), {
    mapping: mapping.name,
    source_id: sourceId,
    old_value: await sealed(platform, oldSource),
    attempt: failures,
    delayMs: delayMs ?? 0,
    is_dead: isDead,
    error: keptError(error),
    waits_for: missingIn(error),
    ...causeOf(context),
  });
  if (!isDead) await wake(platform, unitOfWork, mapping, delayMs);
}

/** How long it waits that has failed so often. */
export const pauseAfter = doubling(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);

/** Nothing is left to be done about it. @param generation of the row that is meant, where others may have written it meanwhile */
export async function takeOut(
  { context, mapping }: Stage,
  sourceId: string,
  generation?: string,
): Promise<void> {
  await context.unitOfWork.hold({ statement: takingFromOutbox(mapping.name, sourceId, generation) });
}

/** Enqueues a job for each mapping that comes after one of these, and has something to deliver. */
export async function wakeBehind(
  platform: SyncPlatform,
  unitOfWork: UnitOfWork,
  names: readonly string[],
): Promise<void> {
  const behind = new Set(names.flatMap((name) => platform.mappings.behind(name)));
  for (const name of behind) {
    const mapping = platform.mappings.named(name);
    const isDue = mapping !== undefined && (await hasDue(await unitOfWork.db(), mapping));
    if (isDue) await wake(platform, unitOfWork, mapping, 0);
  }
}

type Woken = Map<string, { readonly at: number; readonly effect: unknown }>;
const woken = new WeakMap<UnitOfWork, Woken>();

/** One job is enough for all that is put off, unless it was rolled back with a part of the unit of work. */
async function wakeOnce(
  platform: SyncPlatform,
  unitOfWork: UnitOfWork,
  mapping: Pick<Mapping, 'name'>,
  inMs: number,
): Promise<void> {
  const known: Woken = woken.get(unitOfWork) ?? new Map();
  const last = known.get(mapping.name);
  if (last !== undefined && unitOfWork.effects[last.at] === last.effect) return;
  await wake(platform, unitOfWork, mapping, inMs);
  const at = unitOfWork.effects.length - 1;
  known.set(mapping.name, { at, effect: unitOfWork.effects[at] });
  woken.set(unitOfWork, known);
}

/** Wakes the mappings of which something has been due for long: no job has come for it. */
export async function wakeOverdue(platform: StoringPlatform): Promise<void> {
  const { database, mappings } = platform;
  const found = await listOverdue(database.db, OVERDUE_MS);
  const overdue = found.filter((name) => mappings.named(name) !== undefined);
  if (overdue.length === 0) return;
  await runUnitOfWork(database, {}, async (unitOfWork) => {
    for (const name of overdue) await wake(platform, unitOfWork, { name }, 0);
  });
}

/** Forgets what was given up long ago. */
export async function pruneOutbox({ database }: Pick<StoringPlatform, 'database'>): Promise<void> {
  for (let gone = PRUNED_AT_ONCE; gone === PRUNED_AT_ONCE; ) {
    gone = await pruneDead(database.db, DEAD_DAYS, PRUNED_AT_ONCE);
  }
  await pruneAttached(database.db, DEAD_DAYS);
}

async function sealed({ crypto }: SyncPlatform, oldSource: JsonObject | null): Promise<JsonObject | null> {
  return oldSource === null ? null : crypto.encrypt(oldSource, null, null);
}
