import { isEnvelope, PRIVATE_SEAL, withSeals } from '#crypto/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { formatPointer, type JsonObject, type Pointer } from '#json/index.ts';
import { pointersOf, type QueryFilter, type SortKey } from '#resource/index.ts';

/** A stored object as callers from outside are shown it: secrets leave the server for nobody. */
export function sealObject(data: JsonObject, privates: ReadonlySet<string> = new Set()): JsonObject {
  const shown = Object.entries(data).map(([name, value]) => [
    name,
    privates.has(name) && !isEnvelope(value) ? PRIVATE_SEAL : withSeals(value),
  ]);
  return Object.fromEntries(shown);
}

/**
 * Whoever may compare or sort by a secret finds it out, one character after the other.
 *
 * @throws ForbiddenError `QUERY_SECRET`
 */
export function requireNoSecrets(
  filter: QueryFilter,
  sortKeys: readonly SortKey[],
  privates: ReadonlySet<string> = new Set(),
): void {
  const isSecret = (pointer: Pointer) => pointer.includes('$crypto') || privates.has(pointer[0] ?? '');
  const secret = [...pointersOf(filter), ...sortKeys.map(({ pointer }) => pointer)].find(isSecret);
  if (secret === undefined) return;
  throw new ForbiddenError(`'${formatPointer(secret)}' is a secret: nothing is filtered or sorted by it`, {
    id: 'QUERY_SECRET',
    field: formatPointer(secret),
    hint: 'Ask for other members of the objects',
  });
}
