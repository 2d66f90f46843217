import type { Database } from '#database/index.ts';
import { isObject, type JsonObject, type JsonValue, lastOf } from '#json/index.ts';
import type { Synchronizer, SyncNotification, SyncResults } from '#platform/index.ts';
import { type Context, dbOf, formatPath, parsePath, type WriteContext } from '#resource/index.ts';
import { AFTER_WAIT_MS, deliverBehindCommit, isAwaited } from './deliver-awaited.ts';
import { deliverSource } from './deliver-source.ts';
import type { Mapping } from './mapping.ts';
import { putOff, takesInside } from './outbox.ts';
import { isOutside } from './outside.ts';
import type { StoringPlatform, SyncPlatform } from './stage.ts';
import { isInLine, listStates } from './state-repository.ts';
import { queuedRecord, type SyncRecord } from './sync-record.ts';
import { hasScriptedAssignments } from './what-is-read.ts';

/** Has the targets of managed objects follow them, in the unit of work in which they change. */
export function synchronizerOf(platform: StoringPlatform): Synchronizer {
  const { mappings } = platform;
  return {
    get isActive() {
      return mappings.active.some(({ enableSync }) => enableSync);
    },
    keepsCopies: (collection) => mappings.from(collection).length > 0,
    mappings: () => mappings.names,
    async notify(context, { action, resource, before, after, changed }) {
      const path = parsePath(resource);
      const object = {
        collection: formatPath(path.slice(0, -1)),
        id: lastOf(path),
        oldSource: asObject(before),
        ...(action === 'notifyUpdate' && changed !== undefined ? { after, changed } : {}),
      };
      return notify(platform, context, action, object);
    },
    lastSync: (context, collection, ids) => lastSync(platform, context, collection, ids),
  };
}

/** An object that has changed. */
interface Changed {
  readonly collection: string;
  readonly id: string;
  readonly oldSource: JsonObject | null;
  /** As it is stored now, and which of its properties are not as they were, where that is known. */
  readonly after?: JsonValue;
  readonly changed?: ReadonlySet<string>;
}

/**
 * Tells all mappings from the collection, one after the other; one that fails keeps none of the others from its target but those that
 * come after it. A mapping that reads nothing of what has changed is not told, if its target is in line.
 */
export async function notify(
  platform: StoringPlatform,
  context: WriteContext,
  action: SyncNotification,
  object: Changed,
): Promise<SyncResults & { readonly syncDetails: SyncRecord[] }> {
  const { collection, id, oldSource } = object;
  const syncDetails: SyncRecord[] = [];
  for (const mapping of platform.mappings.from(collection)) {
    if (await isUntouched(platform, context, mapping, object)) continue;
    const { after, isAttached } = mapping.delivery;
    const isHeldUp = syncDetails.some((one) => after.includes(one.mapping) && one.result !== 'SUCCESSFUL');
    // Nobody's locks wait for another system, unless the mapping wants it so.
    const isNow = !isHeldUp && (isAttached || !isOutside(mapping.target)) && takesInside(context);
    if (isNow) {
      const object = { id, oldSource, isAttached: isOutside(mapping.target) };
      syncDetails.push(...(await deliverSource(platform, context, mapping, object)));
    } else {
      const known = action === 'notifyDelete' ? oldSource : null;
      const stage = { platform, context, mapping };
      const waits = isAwaited(mapping, context);
      await putOff(stage, id, known, waits ? AFTER_WAIT_MS : 0);
      if (waits) deliverBehindCommit(stage, platform, id);
      syncDetails.push(queuedRecord(mapping.name, id));
    }
  }
  return { success: syncDetails.every(({ result }) => result !== 'FAILED'), action, syncDetails };
}

/** Whether nothing that a mapping reads has changed of an object whose target it has brought in line, and nothing of it is to be done yet. */
async function isUntouched(
  { mappings }: SyncPlatform,
  { unitOfWork }: WriteContext,
  mapping: Mapping,
  { id, after = null, changed }: Changed,
): Promise<boolean> {
  const reads = changed === undefined ? undefined : mappings.readsOf(mapping);
  if (changed === undefined || reads === undefined || !reads.names.isDisjointFrom(changed)) return false;
  if (reads.givesAssignments && hasScriptedAssignments(after)) return false;
  const { name, linkQualifiers } = mapping;
  if ('language' in linkQualifiers) return false;
  const db = await unitOfWork.readerBesidePending();
  return isInLine(db, { mapping: name, qualifiers: linkQualifiers, sourceId: id, print: reads.print });
}

async function lastSync(
  { mappings, ...platform }: SyncPlatform & { readonly database: Database },
  context: Context,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const names = mappings.from(collection).map(({ name }) => name);
  const last = new Map<string, JsonObject>();
  if (names.length === 0 || ids.length === 0) return last;
  for (const state of await listStates(await dbOf(platform, context), names, ids)) {
    const { mapping, source_id, assignments, delivered_at, outcome } = state;
    if (!Array.isArray(assignments) || outcome !== 'delivered') continue;
    const entry = { effectiveAssignments: assignments, timestamp: delivered_at.toISOString() };
    last.set(source_id, { ...last.get(source_id), [mapping]: entry });
  }
  return last;
}

function asObject(value: JsonValue): JsonObject | null {
  return isObject(value) ? value : null;
}
