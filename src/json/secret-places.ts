import type { Pointer } from './pointer.ts';
import { isNameOfSecrets, isSecretName } from './secret-name.ts';
import { holdsReference, isSecretText, withoutPasswords } from './secret-text.ts';
import { isObject, type JsonObject, type JsonValue } from './value.ts';

/** Members in which others have the name of what stands in `value` beside it: headers, parameters, operations of patches. */
const NAMES = ['name', 'key', 'field', 'header', 'parameter', 'property'];
/** The members of a JSON web key that only its owner has. */
const OF_WEB_KEY = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** Where something stands that has the name of a secret, that is or holds one whatever it is called, or that `isProtected`. */
export function placesOfSecrets(
  content: JsonValue,
  isProtected: (value: JsonValue) => boolean = () => false,
): Pointer[] {
  const places: Pointer[] = [];
  visit(content, [], false);
  return places;

  function visit(value: JsonValue, pointer: Pointer, isNamed: boolean): void {
    if (isProtected(value) || isSecretHere(value, isNamed) || isSecretNumber(value, pointer))
      places.push(pointer);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...pointer, String(index)], isNamed);
    } else if (isObject(value)) {
      const name = pointer.at(-1) ?? '';
      // What a schema calls so is a property.
      const isOfSecrets = isNameOfSecrets(name) && pointer.at(-2) !== 'properties';
      for (const [key, member] of Object.entries(value)) {
        visit(member, [...pointer, key], isOfSecrets || isSecretName(key) || isNamedBeside(value, key));
      }
    }
  }
}

function isSecretHere(value: JsonValue, isNamed: boolean): boolean {
  if (typeof value !== 'string') return false;
  return (isNamed && isSecretValue(value)) || isSecretText(value) || withoutPasswords(value) !== undefined;
}

/** Other names of secrets are those of numbers as well: `maxTokens`. */
function isSecretNumber(value: JsonValue, pointer: Pointer): boolean {
  return (
    typeof value === 'number' &&
    /(?:password|passcode|pwd|pin)\d*$/i.test(pointer.at(-1) ?? '') &&
    isSecretName(pointer.at(-1) ?? '')
  );
}

function isNamedBeside(value: JsonObject, key: string): boolean {
  if (OF_WEB_KEY.includes(key)) return typeof value['kty'] === 'string';
  if (key !== 'value') return false;
  return NAMES.some((member) => {
    const name = value[member];
    return typeof name === 'string' && isSecretName(name.slice(name.lastIndexOf('/') + 1));
  });
}

/** References such as `&{mail.password}` are none. */
export function isSecretValue(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && !holdsReference(value);
}
