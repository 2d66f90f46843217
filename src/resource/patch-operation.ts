import { BadRequestError, didYouMean } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
  removeAt,
  setAt,
} from '#json/index.ts';
import type { PatchOperation, PatchOperationName, Request } from './request.ts';

const NAMES: readonly PatchOperationName[] = [
  'add',
  'remove',
  'replace',
  'increment',
  'move',
  'copy',
  'transform',
];
const NEEDS_VALUE: readonly PatchOperationName[] = ['add', 'replace', 'increment', 'transform'];
const NEEDS_FROM: readonly PatchOperationName[] = ['move', 'copy'];

/**
 * Reads the body of a PATCH: an array of `{operation, field, value, from}`.
 *
 * @throws BadRequestError that names the operation by its index
 */
export function parsePatch(body: JsonValue): PatchOperation[] {
  if (!Array.isArray(body)) {
    throw new BadRequestError('A patch must be an array of operations', {
      id: 'PATCH_NOT_AN_ARRAY',
      hint: 'Put even a single operation into an array',
    });
  }
  return body.map((entry, index) => parseOperation(entry, index));
}

function parseOperation(entry: JsonValue, index: number): PatchOperation {
  const field = `/${index}`;
  if (!isObject(entry)) throw refuse(field, `Operation ${index} of the patch is not an object`);
  const given = entry['operation'];
  if (typeof given !== 'string') {
    const hint = entry['op'] === undefined ? undefined : "Write 'operation' and 'field' for 'op' and 'path'";
    throw refuse(field, `Operation ${index} of the patch has no 'operation'`, hint);
  }
  const operation = NAMES.find((name) => name === given.toLowerCase());
  if (operation === undefined) {
    throw refuse(
      field,
      `Unknown patch operation '${given}'`,
      didYouMean(given, NAMES) ?? `One of ${NAMES.join(', ')}`,
    );
  }
  if (typeof entry['field'] !== 'string')
    throw refuse(field, `Patch operation '${operation}' has no 'field'`);
  const target = parsePointer(entry['field']);
  const value = getMember(entry, 'value');
  const from = getMember(entry, 'from');
  if (NEEDS_VALUE.includes(operation) && (value === undefined || value === null)) {
    throw refuse(
      field,
      `Patch operation '${operation}' on '${entry['field']}' needs a value that is not null`,
    );
  }
  if (NEEDS_FROM.includes(operation)) {
    if (typeof from !== 'string') throw refuse(field, `Patch operation '${operation}' needs 'from'`);
    if (value !== undefined && value !== null)
      throw refuse(field, `Patch operation '${operation}' takes no value`);
  } else if (from !== undefined && from !== null) {
    throw refuse(field, `Patch operation '${operation}' takes no 'from'`);
  }
  if (operation === 'increment' && typeof value !== 'number') {
    throw refuse(field, `Patch operation 'increment' needs a number, not ${kindOf(value)}`);
  }
  return {
    operation,
    field: target,
    ...(value === undefined ? {} : { value }),
    ...(typeof from === 'string' ? { from: parsePointer(from) } : {}),
  };
}

/** Whether a request patches with a script. */
export function hasTransform(request: Request): boolean {
  if (request.method === 'patch')
    return request.operations.some(({ operation }) => operation === 'transform');
  if (request.method !== 'action' || request.action !== 'patch' || !Array.isArray(request.content))
    return false;
  return request.content.some(
    (entry) => isObject(entry) && String(entry['operation']).toLowerCase() === 'transform',
  );
}

/** Runs the script of a `transform`: current value in, new value out; undefined or null removes the field. */
export type Transform = (script: JsonValue, current: JsonValue) => Promise<JsonValue>;

/**
 * Applies the operations in order to a copy. Positions below an array are refused, apart from `-`, because
 * two patches that remove by index would not mean the same elements.
 *
 * @throws BadRequestError when an operation cannot be applied; nothing is changed then
 */
export async function applyPatch(
  before: JsonObject,
  operations: readonly PatchOperation[],
  transform?: Transform,
): Promise<JsonObject> {
  const after = cloneJson(before);
  for (const operation of operations) await applyOperation(after, operation, transform);
  return after;
}

async function applyOperation(target: JsonObject, operation: PatchOperation, transform?: Transform) {
  const { field, value } = operation;
  if (field.length === 0) throw refuse('/field', 'A patch cannot address the whole object');
  refusePosition(
    target,
    operation.operation === 'move' || operation.operation === 'copy' ? operation.from! : field,
  );
  switch (operation.operation) {
    case 'add':
    case 'replace':
      setAt(target, field, cloneJson(value!));
      break;
    case 'remove':
      remove(target, field, value);
      break;
    case 'increment':
      increment(target, field, value as number);
      break;
    case 'move':
    case 'copy':
      moveOrCopy(target, operation);
      break;
    case 'transform': {
      if (transform === undefined) {
        throw refuse('/operation', "Patch operation 'transform' is not available here");
      }
      const result = await transform(value!, getAt(target, field) ?? null);
      if (result === null) removeAt(target, field);
      else setAt(target, field, result);
    }
  }
}

function remove(target: JsonObject, field: Pointer, value: JsonValue | undefined): void {
  if (value === undefined || value === null) {
    removeAt(target, field);
    return;
  }
  const current = getAt(target, field);
  if (Array.isArray(current)) {
    setAt(
      target,
      field,
      current.filter((element) => !equalJson(element, value)),
    );
  } else if (equalJson(current, value)) {
    removeAt(target, field);
  }
}

function increment(target: JsonObject, field: Pointer, delta: number): void {
  const current = getAt(target, field);
  if (typeof current === 'number') {
    setAt(target, field, current + delta);
  } else if (Array.isArray(current) && current.every((element) => typeof element === 'number')) {
    setAt(
      target,
      field,
      current.map((element) => element + delta),
    );
  } else {
    throw refuse('/field', `'${formatPointer(field)}' is not a number and cannot be incremented`);
  }
}

function moveOrCopy(target: JsonObject, { operation, field, from }: PatchOperation): void {
  const value = getAt(target, from!);
  if (value === undefined || value === null) return;
  const moved = cloneJson(value);
  if (operation === 'move') removeAt(target, from!);
  const parent = getAt(target, field.slice(0, -1));
  if (isObject(parent) && Object.hasOwn(parent, field.at(-1)!)) {
    throw refuse('/field', `'${formatPointer(field)}' exists already; '${operation}' does not overwrite`);
  }
  setAt(target, field, moved);
}

function refusePosition(target: JsonObject, pointer: Pointer): void {
  if (!/^\d+$/.test(pointer.at(-1) ?? '') || !Array.isArray(getAt(target, pointer.slice(0, -1)))) return;
  throw new BadRequestError(`Position-based operation on '${formatPointer(pointer)}' is not allowed`, {
    id: 'PATCH_POSITION',
    hint: "Append with '/-', remove by value, or replace the whole array",
  });
}

function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'PATCH_INVALID',
    field,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The value itself may be a secret. */
function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  return value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;
}
