import type { Crypto } from '#crypto/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { isSameSecret } from './same-secret.ts';
import { keyOfValue } from './value-key.ts';

/**
 * Whether a target need not be written because it has the value. What is encrypted is compared by what it holds, what is hashed
 * with the text; nothing is null; references are compared by what they lead to, in whatever order.
 */
export async function isSameValue(crypto: Crypto, wanted: JsonValue, existing: JsonValue): Promise<boolean> {
  if (equalJson(wanted, existing)) return true;
  if (wanted === null || existing === null) return false;
  if (isReference(wanted) && isReference(existing)) return leadsThere(wanted, existing);
  if (Array.isArray(wanted) && Array.isArray(existing) && wanted.some(isReference)) {
    return isSameSet(wanted, existing);
  }
  return isSameSecret(crypto, wanted, existing);
}

export function isReference(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && typeof value['_ref'] === 'string';
}

/** Each that is there may be one that is wanted, and only one. */
function isSameSet(wanted: readonly JsonValue[], existing: readonly JsonValue[]): boolean {
  if (wanted.length !== existing.length) return false;
  const left = Map.groupBy(existing, keyOfElement);
  // The value that asks for more has the first choice.
  const choosy = [...wanted].sort((one, other) => countOfSaid(other) - countOfSaid(one));
  return choosy.every((one) => {
    const alike = left.get(keyOfElement(one)) ?? [];
    const at = alike.findIndex(
      (other) => !isReference(one) || (isReference(other) && leadsThere(one, other)),
    );
    return at >= 0 && alike.splice(at, 1).length === 1;
  });
}

function keyOfElement(element: JsonValue): string {
  return isReference(element) ? `to ${element['_ref']}` : keyOfValue(element);
}

function countOfSaid(element: JsonValue): number {
  return isReference(element) ? saidOf(element).length : 0;
}

/** An edge says more of itself than whoever wants it; what that does say must be so. */
function leadsThere(wanted: JsonObject, existing: JsonObject): boolean {
  if (wanted['_ref'] !== existing['_ref']) return false;
  const has = existing['_refProperties'];
  return saidOf(wanted).every(([name, value]) => isObject(has) && equalJson(value, has[name]));
}

function saidOf({ _refProperties: said }: JsonObject): readonly (readonly [string, JsonValue])[] {
  if (!isObject(said)) return [];
  return Object.entries(said).filter(([name]) => !name.startsWith('_') || name === '_grantType');
}
