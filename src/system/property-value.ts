import type { Crypto } from '#crypto/index.ts';
import { BadRequestError, InternalServerError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { type Entry, NAME, type Scalar, Secret, UID } from './contract.ts';
import type { SystemObjectType, SystemProperty } from './object-type.ts';

/**
 * The values of an attribute that a property is to have; none for null.
 *
 * @throws BadRequestError `SYSTEM_BAD_VALUE`
 */
export async function scalarsOf(
  crypto: Crypto,
  property: SystemProperty,
  value: JsonValue,
): Promise<readonly Scalar[]> {
  if (value === null) return [];
  // What is encrypted here is opened for what takes secrets, and for nothing else.
  const plain = property.isSecret ? await crypto.decrypt(value) : value;
  if (!Array.isArray(plain)) return [scalarOf(property, plain)];
  if (!property.isMultiValued && plain.length > 1) {
    throw badValue(property, `'${property.name}' takes one value, and not ${plain.length}`);
  }
  return plain.filter((one) => one !== null).map((one) => scalarOf(property, one));
}

/** @throws BadRequestError `SYSTEM_BAD_VALUE` */
export function scalarOf(property: SystemProperty, value: JsonValue): Scalar {
  const { type, isSecret } = property;
  if (isSecret && typeof value === 'string') return new Secret(value);
  switch (type) {
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 'false') return value === 'true';
      break;
    case 'integer': {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      if (typeof value === 'string' && /^[+-]?\d{1,40}$/.test(value)) return numberOrLarger(value);
      break;
    }
    case 'number':
      if (typeof value === 'number') return value;
      if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
        return Number(value);
      break;
    case 'binary':
      if (typeof value === 'string' && /^[A-Za-z0-9+/\s]*={0,2}$/.test(value.trimEnd()))
        return Buffer.from(value, 'base64');
      break;
    case 'string':
      // A number or a flag has one text that everybody expects.
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return String(value);
      break;
    default:
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
      if (value !== null) return JSON.stringify(value);
  }
  const shown = isSecret ? 'not shown here' : JSON.stringify(value)?.slice(0, 200);
  const words = { binary: 'Base64', any: 'a value', string: 'a text' } as const;
  const word = type === 'binary' || type === 'any' || type === 'string' ? words[type] : `of type ${type}`;
  throw badValue(property, `'${property.name}' must be ${word}; it is ${shown}`);
}

/** An entry as it is shown: what is known by a property, and no more. */
export async function objectOf(
  crypto: Crypto,
  { properties }: SystemObjectType,
  entry: Entry,
  isWanted: (property: SystemProperty) => boolean,
): Promise<JsonObject> {
  const object: JsonObject = { _id: entry.id };
  for (const property of properties.values()) {
    if (!property.isReadable || !isWanted(property)) continue;
    const shown = shownValue(property, valuesIn(entry, property.native));
    if (shown === null) continue;
    object[property.name] =
      property.key === undefined ? shown : await crypto.encrypt(shown, property.cipher ?? null, property.key);
  }
  return object;
}

function valuesIn(entry: Entry, native: string): readonly Scalar[] {
  if (native === UID) return [entry.id];
  if (native === NAME) return [entry.name ?? entry.id];
  return entry.attributes.get(native) ?? [];
}

/** @throws InternalServerError `SYSTEM_MANY_VALUES` */
function shownValue(property: SystemProperty, values: readonly Scalar[]): JsonValue {
  const shown = values.map((value) => jsonOf(property, value));
  const [first = null] = shown;
  if (property.isMultiValued) return shown.length === 0 ? null : shown;
  if (shown.length < 2) return first;
  throw new InternalServerError(`'${property.name}' has ${shown.length} values, and is declared with one`, {
    id: 'SYSTEM_MANY_VALUES',
    field: `/${property.name}`,
    hint: `Declare it as {"type": "array", "items": {"type": "string"}, "nativeName": "${property.native}"}`,
  });
}

function jsonOf({ type }: SystemProperty, value: Scalar): JsonValue {
  if (value instanceof Secret) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  switch (type) {
    case 'boolean':
      return typeof value === 'string' ? /^(true|yes|y|1)$/i.test(value) : Boolean(value);
    case 'integer':
    case 'number': {
      const number = Number(value);
      // What no number of JSON holds is shown as it is written there.
      return Number.isNaN(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))
        ? String(value)
        : number;
    }
    case 'any':
      return typeof value === 'bigint' ? String(value) : value;
    default:
      return String(value);
  }
}

function numberOrLarger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

function badValue({ name }: SystemProperty, message: string): BadRequestError {
  return new BadRequestError(message, { id: 'SYSTEM_BAD_VALUE', field: `/${name}` });
}
