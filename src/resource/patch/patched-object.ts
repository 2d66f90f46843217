import { BadRequestError, PayloadTooLargeError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  getMember,
  isObject,
  type JsonObject,
  type JsonSize,
  type JsonValue,
  lastOf,
  nameBytes,
  type Pointer,
  removeAt,
  setAt,
  setMember,
  sizeOf,
} from '#json/index.ts';
import type { Budget } from '../budget.ts';
import type { PatchOperation } from '../request.ts';

/** Runs the script of a `transform`: current value in, new value out; undefined or null removes the field. */
export type Transform = (script: JsonValue, current: JsonValue) => Promise<JsonValue>;

/** How much larger an object may be while it is patched than it was before. What is stored has a bound of its own. */
export const MOST_GROWTH: Readonly<JsonSize> = { nodes: 200_000, bytes: 2 ** 22 };

const HOLDER = sizeOf({});

export interface PatchOptions {
  readonly budget: Budget;
  readonly transform?: Transform | undefined;
}

/**
 * Applies the operations in order to a copy.
 *
 * @throws BadRequestError when an operation cannot be applied, ResourceError 413 when it takes or makes too much;
 *   nothing is changed then
 */
export async function applyPatch(
  before: JsonObject,
  operations: readonly PatchOperation[],
  options: PatchOptions,
): Promise<JsonObject> {
  const patched = new PatchedObject(before, options);
  for (const operation of operations) await patched.apply(operation);
  return patched.object;
}

/**
 * A copy of an object while operations are applied to it. Its size is kept up to date by what each of them adds and
 * takes away, so that an operation costs what it touches, and nothing doubles itself unseen. Positions below an array
 * are refused, apart from `-`, because two patches that remove by index would not mean the same elements.
 */
export class PatchedObject {
  readonly #object: JsonObject;
  readonly #size: JsonSize;
  readonly #most: JsonSize;
  readonly #budget: Budget;
  readonly #transform: Transform | undefined;
  readonly #breathe: () => Promise<void> | undefined;

  constructor(before: JsonObject, { budget, transform }: PatchOptions) {
    this.#size = sizeOf(before);
    this.#most = {
      nodes: this.#size.nodes + MOST_GROWTH.nodes,
      bytes: this.#size.bytes + MOST_GROWTH.bytes,
    };
    this.#budget = budget;
    this.#transform = transform;
    this.#breathe = budget.stretch();
    this.#object = cloneJson(before);
  }

  get object(): JsonObject {
    return this.#object;
  }

  get size(): Readonly<JsonSize> {
    return this.#size;
  }

  async apply(operation: PatchOperation): Promise<void> {
    this.#begin(operation);
    await this.#breathe();
    const { field } = operation;
    if (field.length === 0) throw refuse('/field', 'A patch cannot address the whole object');
    refusePosition(this.#object, operation.from ?? field);
    switch (operation.operation) {
      case 'add':
      case 'replace':
        this.#set(field, operation.value);
        break;
      case 'remove':
        this.#removeValue(field, operation.value);
        break;
      case 'increment':
        this.#increment(field, operation.value);
        break;
      case 'move':
      case 'copy':
        this.#moveOrCopy(operation);
        break;
      case 'transform':
        await this.#runTransform(field, operation.value);
    }
  }

  /** Has a member replaced by somebody who knows more about it, and looks at each of its elements. */
  async replaceMember(
    operation: PatchOperation,
    name: string,
    replacement: (current: JsonValue) => JsonValue,
  ): Promise<void> {
    this.#begin(operation);
    await this.#breathe();
    const current = getMember(this.#object, name) ?? null;
    this.#budget.spend('nodes', Array.isArray(current) ? current.length : 1);
    const replaced = replacement(current);
    if (replaced !== current) setMember(this.#object, name, replaced);
  }

  #begin({ field, from }: PatchOperation): void {
    this.#budget.spend('operations');
    this.#budget.spend('nodes', field.length + (from?.length ?? 0));
  }

  /** @param given is copied unless it is fresh */
  #set(field: Pointer, given: JsonValue, isFresh = false): void {
    const added = this.#budget.measure(given);
    // Each token that leads to nothing yet makes a member, and all but the last an object to hold it.
    const names = field.slice(depthOf(this.#object, field));
    const holders = Math.max(0, names.length - 1);
    const nodes = added.nodes + holders * HOLDER.nodes;
    const bytes = names.reduce((sum, name) => sum + nameBytes(name), added.bytes + holders * HOLDER.bytes);
    this.#resize({ nodes, bytes }, 1);
    const replaced = getAt(this.#object, field);
    if (replaced !== undefined) this.#resize(this.#budget.measure(replaced), -1);
    setAt(this.#object, field, isFresh ? given : cloneJson(given));
  }

  #remove(field: Pointer): void {
    const removed = getAt(this.#object, field);
    if (removed === undefined) return;
    const { nodes, bytes } = this.#budget.measure(removed);
    this.#resize({ nodes, bytes: bytes + nameBytes(lastOf(field)) }, -1);
    removeAt(this.#object, field);
  }

  #removeValue(field: Pointer, value: JsonValue | undefined): void {
    if (value === undefined || value === null) {
      this.#remove(field);
      return;
    }
    const current = getAt(this.#object, field);
    if (!Array.isArray(current)) {
      if (equalJson(current, value)) this.#remove(field);
      return;
    }
    const size = sizeOf(value);
    // Whatever it is compared with, it is compared at most with all of itself.
    this.#budget.spend('nodes', current.length * size.nodes);
    const left = current.filter((element) => !equalJson(element, value));
    const removed = current.length - left.length;
    if (removed === 0) return;
    this.#resize({ nodes: size.nodes * removed, bytes: size.bytes * removed }, -1);
    setAt(this.#object, field, left);
  }

  #increment(field: Pointer, delta: number): void {
    const current = getAt(this.#object, field);
    if (typeof current === 'number') {
      setAt(this.#object, field, finite(current + delta, field));
      return;
    }
    if (Array.isArray(current)) this.#budget.spend('nodes', current.length);
    if (!Array.isArray(current) || !current.every((element) => typeof element === 'number')) {
      throw refuse('/field', `'${formatPointer(field)}' is not a number and cannot be incremented`);
    }
    setAt(
      this.#object,
      field,
      current.map((element) => finite(element + delta, field)),
    );
  }

  #moveOrCopy({ operation, field, from }: Extract<PatchOperation, { readonly from: Pointer }>): void {
    const value = getAt(this.#object, from);
    if (value === undefined || value === null) return;
    const parent = getAt(this.#object, field.slice(0, -1));
    if (isObject(parent) && Object.hasOwn(parent, lastOf(field))) {
      throw refuse('/field', `'${formatPointer(field)}' exists already; '${operation}' does not overwrite`);
    }
    if (operation === 'move') this.#remove(from);
    this.#set(field, value, operation === 'move');
  }

  async #runTransform(field: Pointer, script: JsonValue): Promise<void> {
    if (this.#transform === undefined) {
      throw refuse('/operation', "Patch operation 'transform' is not available here");
    }
    this.#budget.spend('hostCalls');
    const current = getAt(this.#object, field) ?? null;
    this.#budget.measure(current);
    const result = await this.#transform(script, current);
    if (result === null) this.#remove(field);
    else this.#set(field, result, true);
  }

  #resize({ nodes, bytes }: JsonSize, sign: 1 | -1): void {
    this.#size.nodes += sign * nodes;
    this.#size.bytes += sign * bytes;
    if (sign < 0) return;
    const most = this.#most;
    if (this.#size.nodes <= most.nodes && this.#size.bytes <= most.bytes) return;
    const [what, allowed] =
      this.#size.nodes > most.nodes ? ['values', MOST_GROWTH.nodes] : ['bytes', MOST_GROWTH.bytes];
    throw new PayloadTooLargeError(`The patch makes the object larger by more than ${allowed} ${what}`, {
      id: 'PATCH_GROWS',
      hint: 'Copies of copies grow fast; keep what is large in objects of its own',
      detail: { allowed, what },
    });
  }
}

/** How many tokens of the pointer lead to something that is there. */
function depthOf(root: JsonValue, pointer: Pointer): number {
  let value: JsonValue | undefined = root;
  for (const [depth, token] of pointer.entries()) {
    value = getAt(value, [token]);
    if (value === undefined || value === null) return depth;
  }
  return pointer.length;
}

/** Twice the largest number there is would be stored as null. */
function finite(sum: number, field: Pointer): number {
  if (Number.isFinite(sum)) return sum;
  throw refuse('/value', `'${formatPointer(field)}' becomes larger than any number that can be stored`);
}

function refusePosition(target: JsonObject, pointer: Pointer): void {
  if (!/^\d+$/.test(pointer.at(-1) ?? '') || !Array.isArray(getAt(target, pointer.slice(0, -1)))) return;
  throw new BadRequestError(`Position-based operation on '${formatPointer(pointer)}' is not allowed`, {
    id: 'PATCH_POSITION',
    hint: "Append with '/-', remove by value, or replace the whole array",
  });
}

function refuse(field: string, message: string): BadRequestError {
  return new BadRequestError(message, { id: 'PATCH_INVALID', field });
}
