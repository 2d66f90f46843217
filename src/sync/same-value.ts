import { type Crypto, hasEnvelope } from '#crypto/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';

/**
 * Whether a target need not be written because it has the value. What is encrypted is compared by what it holds, what is hashed
 * with the text; nothing is null; references are compared by what they lead to, in whatever order.
 */
export async function isSameValue(crypto: Crypto, wanted: JsonValue, existing: JsonValue): Promise<boolean> {
  if (equalJson(wanted, existing)) return true;
  if (wanted === null || existing === null) return false;
  if (isReference(wanted) && isReference(existing)) return leadsThere(wanted, existing);
  if (Array.isArray(wanted) && Array.isArray(existing)) {
    if (!wanted.some(isReference)) return isSameSecret(crypto, wanted, existing);
    return (
      wanted.length === existing.length &&
      wanted.every((one) =>
        existing.some((other) => isReference(one) && isReference(other) && leadsThere(one, other)),
      )
    );
  }
  return isSameSecret(crypto, wanted, existing);
}

async function isSameSecret(crypto: Crypto, wanted: JsonValue, existing: JsonValue): Promise<boolean> {
  if (!hasEnvelope(wanted) && !hasEnvelope(existing)) return false;
  if (crypto.isHashed(existing)) {
    const plain = await crypto.decrypt(wanted);
    return typeof plain === 'string' && crypto.matches(plain, existing);
  }
  return equalJson(await crypto.decrypt(wanted), await crypto.decrypt(existing));
}

export function isReference(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && typeof value['_ref'] === 'string';
}

/** An edge says more of itself than whoever wants it; what that does say must be so. */
function leadsThere(wanted: JsonObject, existing: JsonObject): boolean {
  if (wanted['_ref'] !== existing['_ref']) return false;
  const [said, has] = [wanted['_refProperties'], existing['_refProperties']];
  if (!isObject(said)) return true;
  return Object.entries(said)
    .filter(([name]) => !name.startsWith('_') || name === '_grantType')
    .every(([name, value]) => isObject(has) && equalJson(value, has[name]));
}
