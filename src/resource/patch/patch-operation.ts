import { BadRequestError, didYouMean, PayloadTooLargeError } from '#errors/index.ts';
import { getMember, isObject, type JsonValue, type Pointer, parsePointer } from '#json/index.ts';
import { REQUEST_ALLOWANCE } from '../budget.ts';
import type { PatchOperation, PatchOperationName, Request } from '../request.ts';

const NAMES: readonly PatchOperationName[] = [
  'add',
  'remove',
  'replace',
  'increment',
  'move',
  'copy',
  'transform',
];

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
  const most = REQUEST_ALLOWANCE.operations;
  if (body.length > most) {
    throw new PayloadTooLargeError(`The patch has ${body.length} operations; ${most} are allowed`, {
      id: 'PATCH_TOO_LONG',
      hint: 'Send several patches, or replace what most of them are about',
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
  if (operation === 'move' || operation === 'copy') {
    if (typeof from !== 'string') throw refuse(field, `Patch operation '${operation}' needs 'from'`);
    if (value !== undefined && value !== null)
      throw refuse(field, `Patch operation '${operation}' takes no value`);
    const source = parsePointer(from);
    if (isAtOrBelow(target, source)) {
      throw refuse(
        field,
        `Patch operation '${operation}' puts '${from}' into itself`,
        "'field' must not lead to 'from', nor below it",
      );
    }
    return { operation, field: target, from: source };
  }
  const refuseFrom = () => {
    if (from === undefined || from === null) return;
    throw refuse(field, `Patch operation '${operation}' takes no 'from'`);
  };
  if (operation === 'remove') {
    refuseFrom();
    return { operation, field: target, ...(value === undefined ? {} : { value }) };
  }
  if (value === undefined || value === null) {
    throw refuse(
      field,
      `Patch operation '${operation}' on '${entry['field']}' needs a value that is not null`,
    );
  }
  refuseFrom();
  if (operation !== 'increment') return { operation, field: target, value };
  if (typeof value === 'number') return { operation, field: target, value };
  throw refuse(field, `Patch operation 'increment' needs a number, not ${kindOf(value)}`);
}

function isAtOrBelow(pointer: Pointer, ancestor: Pointer): boolean {
  return ancestor.length <= pointer.length && ancestor.every((token, depth) => token === pointer[depth]);
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
