import type { Queue } from '#queue/index.ts';
import type { WriteContext } from '#resource/index.ts';
import type { Mapping, StoringPlatform } from '#sync/index.ts';
import type { SystemChanges } from '#system/index.ts';

/** What the room stands on. */
export interface LiveSyncPlatform extends Omit<StoringPlatform, 'queue'> {
  readonly queue: Queue;
  readonly systems: SystemChanges;
  /** Has both sides of a mapping compared, in the unit of work of the context. @throws ConflictError while that is under way */
  readonly reconcile: (context: WriteContext, mapping: Mapping) => Promise<string>;
}

/** The queue whose jobs follow changes. */
export const ROUND_QUEUE = 'livesync';

/** A type of objects of a system. */
export interface Place {
  readonly system: string;
  readonly type: string;
}

/** The place as paths name it. */
export function pathOf({ system, type }: Place): string {
  return `system/${system}/${type}`;
}

/** What is told of changes, in the order of the mappings. */
export function mappingsFrom({ mappings }: Pick<LiveSyncPlatform, 'mappings'>, place: Place) {
  return mappings.from(pathOf(place));
}
