import { BadRequestError } from '#errors/index.ts';
import { getAt, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import { addDuration, parseDuration } from '#time/index.ts';
import type { ScanDefinition } from './scan-definition.ts';

/** An object of an operation: the how manieth it is, and what is to be imported, encrypted while it is stored. */
export interface FrozenObject {
  readonly n: number;
  readonly line?: JsonObject;
}

/**
 * An object as the query found it: id, revision (null: unknown), and the value at the started pointer. Of one that is tried
 * again also when it failed, an ISO time.
 */
export type FoundObject = readonly [
  id: string,
  revision: string | null,
  started: string | null,
  failedAt?: string | null,
  frozen?: FrozenObject,
];

/** The clock by which an object is started is a little off the one by which its failure is noted. */
const CLOCKS_MS = 1_000;

/** An object as it is now. */
export interface CurrentObject {
  readonly revision: string | null;
  readonly content: JsonObject;
}

/**
 * Whether a scan may process an object now.
 *
 * - Somebody else's is left alone: changed since it was found, and completed, or started at another time.
 * - With a recovery timeout, what was started less than it ago is left alone.
 * - Without, what was started and not completed is left alone for good.
 * - What failed and is tried again was started by whoever failed; if nobody has started or completed it since, it is free.
 *
 * @param now epoch ms
 * @throws BadRequestError `SCAN_BAD_STARTED` when what stands at the started pointer is no time
 */
export function isClaimable(
  definition: Pick<ScanDefinition, 'started' | 'completed' | 'recovery'>,
  found: FoundObject,
  current: CurrentObject,
  now: number,
): boolean {
  const started = getAt(current.content, parsePointer(definition.started)) ?? null;
  const completed = getAt(current.content, parsePointer(definition.completed)) ?? null;
  const [, revision, startedThen, failedAt] = found;
  if (typeof failedAt === 'string') {
    if (completed !== null && completed !== false) return false;
    return started === null || timeOf(started, definition.started) <= Date.parse(failedAt) + CLOCKS_MS;
  }
  const changed = revision !== null && revision !== current.revision;
  if (changed && completed !== null && completed !== false) return false;
  if (changed && started !== null && started !== startedThen) return false;
  if (started === null) return true;
  if (definition.recovery === null) return completed !== null;
  return addDuration(timeOf(started, definition.started), parseDuration(definition.recovery)) <= now;
}

function timeOf(started: JsonValue, pointer: string): number {
  const at = typeof started === 'string' ? Date.parse(started) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new BadRequestError(`${JSON.stringify(started)} at '${pointer}' is no time`, {
    id: 'SCAN_BAD_STARTED',
    hint: 'The started pointer must hold an ISO time, or nothing',
  });
}
