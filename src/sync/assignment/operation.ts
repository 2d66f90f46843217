import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { keyOfValue } from '../value-key.ts';

/** What an operation is given. A value that there is not is null. */
interface Operands {
  /** The value of the target as it will be. */
  readonly target: JsonValue;
  /** The value of the target as it is stored. */
  readonly existing: JsonValue;
  readonly value: JsonValue;
  /** Whether an assignment has set the attribute before in the same mapping. */
  readonly isFollowing: boolean;
}

type Operation = (operands: Operands) => JsonValue;

/** What assignments do with an attribute of the target, by the names of the field. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  /** The first one sets, further ones of the same attribute are merged with it. */
  replaceTarget: ({ target, value, isFollowing }) => (isFollowing ? merged(target, value) : value),
  /** What the target has stays, and the value comes to it. */
  mergeWithTarget: ({ target, existing, value, isFollowing }) =>
    merged(isFollowing ? target : existing, value),
  removeFromTarget: ({ target, value }) => without(target, value),
  noOp: ({ target }) => target,
};

/** @throws BadRequestError `SYNC_UNKNOWN_OPERATION` */
export function operationNamed(name: string): Operation {
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation !== undefined) return operation;
  const names = Object.keys(OPERATIONS);
  throw new BadRequestError(`Assignments know no operation '${name}'`, {
    id: 'SYNC_UNKNOWN_OPERATION',
    hint: didYouMean(name, names) ?? `There are ${names.join(', ')}`,
  });
}

/** Lists as sets, objects by their members, anything else by what comes last. */
function merged(before: JsonValue, value: JsonValue): JsonValue {
  if (before === null) return Array.isArray(value) ? union([], value) : value;
  if (value === null) return before;
  if (Array.isArray(before)) return union(before, Array.isArray(value) ? value : [value]);
  if (Array.isArray(value)) return union([before], value);
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
}

function without(before: JsonValue, value: JsonValue): JsonValue {
  if (Array.isArray(before)) {
    const gone = new Set((Array.isArray(value) ? value : [value]).map(keyOfValue));
    return before.filter((element) => !gone.has(keyOfValue(element)));
  }
  if (isObject(before) && isObject(value)) {
    return Object.fromEntries(Object.entries(before).filter(([name]) => !Object.hasOwn(value, name)));
  }
  return null;
}

/** What was there before stays as it was. */
function union(before: readonly JsonValue[], more: readonly JsonValue[]): JsonValue[] {
  const known = new Set(before.map(keyOfValue));
  const added = more.filter((one) => {
    const key = keyOfValue(one);
    return !known.has(key) && known.add(key);
  });
  return [...before, ...added];
}
