import { type Crypto, hasEnvelope } from '#crypto/index.ts';
import { isObject, type JsonObject, type JsonValue, type Pointer } from '#json/index.ts';
import type { PatchOperation } from '#resource/index.ts';
import { isReference, isSameValue } from './same-value.ts';

/** Members that say who an object is, which was settled when it was made. */
const IDENTITY: ReadonlySet<string> = new Set(['_id', '_rev']);

/** What has to change so that a target is as it is wanted: of objects inside of it, only the members that differ. */
export async function changeSet(
  crypto: Crypto,
  existing: JsonObject,
  wanted: JsonObject,
): Promise<readonly PatchOperation[]> {
  return differences(crypto, existing, wanted, []);
}

async function differences(
  crypto: Crypto,
  existing: JsonObject,
  wanted: JsonObject,
  at: Pointer,
): Promise<PatchOperation[]> {
  const operations: PatchOperation[] = [];
  const names = new Set([...Object.keys(existing), ...Object.keys(wanted)]);
  for (const name of names) {
    if (at.length === 0 && IDENTITY.has(name)) continue;
    const [before, after] = [memberOf(existing, name), memberOf(wanted, name)];
    if (await isSameValue(crypto, after, before)) continue;
    const field = [...at, name];
    if (after === null) operations.push({ operation: 'remove', field });
    else if (isPlain(before) && isPlain(after))
      operations.push(...(await differences(crypto, before, after, field)));
    else operations.push({ operation: 'replace', field, value: after });
  }
  return operations;
}

/** The members that a new object is made of: what is null is not there. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => value !== null && !IDENTITY.has(name)),
  );
}

function memberOf(object: JsonObject, name: string): JsonValue {
  return Object.hasOwn(object, name) ? (object[name] ?? null) : null;
}

/** An object that is looked into. */
function isPlain(value: JsonValue): value is JsonObject {
  return isObject(value) && !isReference(value) && !hasEnvelope(value);
}
