import type { JsonObject } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import { seesWords, withoutWords } from '#sync/index.ts';
import { type LiveSyncPlatform, mappingsFrom, type Place, pathOf } from './livesync-platform.ts';
import type { TokenRow } from './token-repository.ts';

/** The name of a type where servers of the field keep how far they are: `SYSTEMLDAPACCOUNT`. */
export function stageIdOf({ system, type }: Place): string {
  return `system${system}${type}`.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
}

/** Whether a caller may see what is said about objects of the place, and of all that they are brought to. */
export async function seesWordsAt(
  platform: Pick<LiveSyncPlatform, 'router' | 'mappings'>,
  context: Context,
  place: Place,
): Promise<boolean> {
  const own = { source: pathOf(place), target: pathOf(place) };
  for (const sides of [own, ...mappingsFrom(platform, place)]) {
    if (!(await seesWords(platform, context, sides))) return false;
  }
  return true;
}

/**
 * How far a type was followed, with the names of the field and what is known besides.
 *
 * @param seesAll whether the words of an error are shown (`seesWordsAt`)
 */
export function stageOf(
  { systems }: Pick<LiveSyncPlatform, 'systems'>,
  row: TokenRow,
  seesAll: boolean,
): JsonObject {
  const { system, object_type: type, token, counts, failing_id } = row;
  const error = seesAll ? row.error : withoutWords(row.error);
  const native = systems.places.find((one) => one.system === system && one.type === type)?.native ?? null;
  return {
    _id: stageIdOf({ system, type }),
    _rev: String(row.rev),
    connectorData: { nativeType: native, syncToken: token },
    ...(error === null ? {} : { lastException: { throwable: error, syncDelta: failing_id } }),
    system,
    type,
    changes: counts.changes ?? 0,
    failed: counts.failed ?? 0,
    isUnderWay: row.round !== null,
    node: row.node,
    takenAt: row.taken_at?.toISOString() ?? null,
    beganAt: row.began_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
