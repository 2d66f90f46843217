import { BadRequestError } from '#errors/index.ts';
import { MOST_LEVELS } from './depth.ts';
import { getMember, isObject, type JsonObject, type JsonValue, setMember } from './value.ts';

/** The tokens of a JSON pointer, decoded. The empty pointer is the root. */
export type Pointer = readonly string[];

/**
 * Reads a pointer of the Common REST dialect: the leading slash is optional, a trailing one is ignored, and
 * escapes are percent escapes (`%2F`, `%20`, `%25`), not the tildes of RFC 6901: `~0` and `~1` stand for themselves. Any
 * other tilde would be an error there and is one here, unless it is written `%7E`.
 *
 * @throws BadRequestError when a percent escape is malformed, for a stray tilde, or when there are too many levels
 */
export function parsePointer(text: string): Pointer {
  const trimmed = text.replace(/^\//, '').replace(/\/$/, '');
  if (trimmed === '') return [];
  const tokens = trimmed.split('/');
  // One that adds a value makes a level of each.
  if (tokens.length > MOST_LEVELS) {
    throw new BadRequestError(`A JSON pointer has ${tokens.length} levels; ${MOST_LEVELS} are allowed`, {
      id: 'JSON_BAD_POINTER',
    });
  }
  if (/~(?![01])/.test(trimmed)) {
    throw new BadRequestError(
      `Malformed escape in the JSON pointer '${text}': a tilde before neither 0 nor 1`,
      {
        id: 'JSON_BAD_POINTER',
        hint: "Write a tilde inside a key as '%7E', and a slash as '%2F'",
      },
    );
  }
  return tokens.map((token) => {
    if (!token.includes('%')) return token;
    try {
      return decodeURIComponent(token);
    } catch {
      throw new BadRequestError(`Malformed percent escape in the JSON pointer '${text}'`, {
        id: 'JSON_BAD_POINTER',
        hint: "Write a slash inside a key as '%2F' and a percent sign as '%25'",
      });
    }
  });
}

export function formatPointer(pointer: Pointer): string {
  return `/${pointer.map((token) => token.replace(/[%/ ~]/g, percentEscape)).join('/')}`;
}

function percentEscape(character: string): string {
  return character === '~' ? '%7E' : encodeURIComponent(character);
}

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

/** The index that a token means inside an array, or undefined when it is none. */
export function arrayIndex(token: string): number | undefined {
  return ARRAY_INDEX.test(token) ? Number(token) : undefined;
}

export function getAt(root: JsonValue | undefined, pointer: Pointer): JsonValue | undefined {
  let value = root;
  for (const token of pointer) {
    if (Array.isArray(value)) {
      const index = arrayIndex(token);
      value = index === undefined ? undefined : value[index];
    } else if (isObject(value)) {
      value = getMember(value, token);
    } else {
      return undefined;
    }
  }
  return value;
}

/** The part at a place that has been found in it. @throws RangeError when there is none */
export function partAt(root: JsonValue, pointer: Pointer): JsonValue {
  const part = getAt(root, pointer);
  if (part === undefined) throw new RangeError(`There is nothing at '${formatPointer(pointer)}'`);
  return part;
}

/**
 * Sets a value in place and makes missing parents. `-` as the last token appends to an array; on a missing
 * parent it makes one.
 *
 * @throws BadRequestError when the pointer leads through a scalar or names no array index
 */
export function setAt(root: JsonObject, pointer: Pointer, value: JsonValue): void {
  if (pointer.length === 0) throw new BadRequestError('An empty JSON pointer cannot be set');
  let parent: JsonValue = root;
  for (const [depth, token] of pointer.entries()) {
    const last = depth === pointer.length - 1;
    if (Array.isArray(parent)) {
      const index: number | undefined = token === '-' ? parent.length : arrayIndex(token);
      if (index === undefined || index > parent.length) throw notAnIndex(pointer, token);
      if (last) {
        parent[index] = value;
        return;
      }
      parent[index] ??= pointer[depth + 1] === '-' ? [] : {};
      parent = parent[index];
    } else if (isObject(parent)) {
      if (last) {
        setMember(parent, token, value);
        return;
      }
      let child: JsonValue | undefined = getMember(parent, token);
      if (child === undefined || child === null) {
        child = pointer[depth + 1] === '-' ? [] : {};
        setMember(parent, token, child);
      }
      parent = child;
    } else {
      throw new BadRequestError(
        `'${formatPointer(pointer)}' leads through a value that is neither an object nor an array`,
        { id: 'JSON_POINTER_THROUGH_SCALAR' },
      );
    }
  }
}

/** Removes the value in place; says whether there was one. */
export function removeAt(root: JsonObject, pointer: Pointer): boolean {
  const parent = getAt(root, pointer.slice(0, -1));
  const token = pointer.at(-1);
  if (token === undefined) return false;
  if (Array.isArray(parent)) {
    const index = arrayIndex(token);
    if (index === undefined || index >= parent.length) return false;
    parent.splice(index, 1);
    return true;
  }
  if (!isObject(parent) || !Object.hasOwn(parent, token)) return false;
  delete parent[token];
  return true;
}

function notAnIndex(pointer: Pointer, token: string): BadRequestError {
  return new BadRequestError(`'${token}' in '${formatPointer(pointer)}' is not an index of the array there`, {
    id: 'JSON_NOT_AN_INDEX',
  });
}
