import { InternalServerError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { deliverSource } from './deliver-source.ts';
import { listPairs, moveSource } from './linked-pair.ts';
import type { Mapping } from './mapping.ts';
import { putOff } from './outbox.ts';
import { isOutside } from './outside.ts';
import type { SyncPlatform } from './stage.ts';
import type { SyncRecord } from './sync-record.ts';

/** What has become of an object of another system, which was read just now. */
export interface SourceChange {
  readonly id: string;
  /** The source as it is; null where it is gone. */
  readonly source: JsonObject | null;
  /** The source as it was, where it is gone and somebody knows that. */
  readonly oldSource: JsonObject | null;
  /** Where ids are names, and it has got another one. */
  readonly previousId?: string | undefined;
}

interface ChangeOptions {
  /** Nothing is done at once: each is to be a unit of work of its own. */
  readonly isPutOff: boolean;
  /** What fails is not tried again by itself: it is thrown. */
  readonly isStrict: boolean;
}

/**
 * Brings a change to the targets by one mapping: to those inside at once, in the unit of work of the context, to others soon after.
 *
 * @throws ResourceError in strict order, what was against it
 */
export async function deliverChange(
  platform: SyncPlatform,
  context: WriteContext,
  mapping: Mapping,
  { id, source, oldSource, previousId }: SourceChange,
  { isPutOff, isStrict }: ChangeOptions,
): Promise<'done' | 'put off' | 'failed'> {
  if (previousId !== undefined && previousId !== id) {
    const db = await context.unitOfWork.db();
    for (const pair of await listPairs(db, mapping, 'source', previousId)) {
      await moveSource(db, mapping, pair, id);
    }
  }
  if (isPutOff || isOutside(mapping.target)) {
    await putOff({ platform, context, mapping }, id, source === null ? oldSource : null);
    return 'put off';
  }
  const records = await deliverSource(platform, context, mapping, { id, oldSource, source });
  const failed = records.find(({ result }) => result === 'FAILED');
  if (failed !== undefined && isStrict) throw errorOf(failed);
  return failed === undefined ? 'done' : 'failed';
}

function errorOf({ cause = null, mapping, sourceId }: SyncRecord): ResourceError {
  const { code, message, detail }: JsonObject = isObject(cause) ? cause : {};
  const words = `'${sourceId}' by '${mapping}': ${String(message ?? 'failed')}`;
  if (typeof code !== 'number') return new InternalServerError(words);
  return new ResourceError(code, words, isObject(detail) ? { detail } : {});
}
