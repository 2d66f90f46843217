/**
 * JSON as the service works with it: values, pointers, equality. Knows nothing of resources.
 *
 * Words: a *value* is anything JSON can hold, a *member* is a key with its value in an object, a *pointer*
 * addresses a value inside another. Members called `__proto__` or `constructor` are data like any other.
 */
export { canonicalText } from './canonical-text.ts';
export { isTooDeep, MOST_LEVELS } from './depth.ts';
export { equalJson } from './equal.ts';
export { findText, hasText, splitText } from './find-text.ts';
export { firstOf, itemAt, lastOf } from './list.ts';
export {
  arrayIndex,
  formatPointer,
  getAt,
  type Pointer,
  parsePointer,
  partAt,
  removeAt,
  setAt,
} from './pointer.ts';
export { isSecretByAnyWord, isSecretName } from './secret-name.ts';
export { isSecretValue, placesOfSecrets } from './secret-places.ts';
export { holdsReference, isSecretText, withoutPasswords } from './secret-text.ts';
export { shownAddress } from './shown-address.ts';
export { fitsWritten, type JsonSize, nameBytes, sizeOf } from './size.ts';
export { type Position, TextLines } from './text-lines.ts';
export {
  asJson,
  cloneJson,
  getMember,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
} from './value.ts';
