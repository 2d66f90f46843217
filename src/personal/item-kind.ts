import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { requireStorableSize } from '#resource/index.ts';

export interface ItemKind {
  readonly name: 'preference' | 'view' | 'draft';
  /** What a client may say of one. */
  readonly members: readonly string[];
  readonly required: readonly string[];
  /** How many items one owner may have. */
  readonly most: number;
  readonly mostBytes: number;
  /** The most bytes of all items of one owner: a list of them is read as a whole. */
  readonly mostTogether: number;
  /** What makes it large; a list that does not ask for it goes without. */
  readonly body: 'value' | 'state';
  /** How long one is kept after it was last written; undefined: for good. */
  readonly keepDays?: number;
}

const MEBIBYTE = 2 ** 20;

export const PREFERENCE: ItemKind = {
  name: 'preference',
  members: ['value'],
  required: ['value'],
  most: 200,
  mostBytes: 16_384,
  mostTogether: MEBIBYTE,
  body: 'value',
};
export const VIEW: ItemKind = {
  name: 'view',
  members: ['title', 'area', 'state', 'roles'],
  required: ['title', 'area', 'state'],
  most: 100,
  mostBytes: 65_536,
  mostTogether: MEBIBYTE,
  body: 'state',
};
export const DRAFT: ItemKind = {
  name: 'draft',
  members: ['area', 'value'],
  required: ['value'],
  most: 50,
  mostBytes: 262_144,
  mostTogether: 2 * MEBIBYTE,
  body: 'value',
  keepDays: 7,
};

/** What the server says of one itself; it may come back. */
const OF_THE_SERVER = ['_id', '_rev', 'owner', 'updatedAt', 'expiresAt'];
/** Shared items are shorter, because they stand in the lists of others. */
const MOST_SHARED_BYTES = 8_192;
/** The most views that one owner shares, and that all who are no administrators share with one role. */
export const MOST_SHARED = { byOwner: 20, withRole: 200 } as const;
const MOST_WORDS = 200;
const MOST_ROLES = 20;
const NAME = /^[\w.:-]{1,100}$/;

/** @throws BadRequestError `PERSONAL_BAD_NAME` */
export function requireName({ name: kind }: ItemKind, id: string): void {
  if (NAME.test(id)) return;
  throw new BadRequestError(`'${id.slice(0, 120)}' cannot be the name of a ${kind}`, {
    id: 'PERSONAL_BAD_NAME',
    hint: 'Up to 100 letters, digits, and . _ : -',
  });
}

/** What is kept of a body. @throws BadRequestError `PERSONAL_BAD_ITEM`, PayloadTooLargeError */
export function readItem(kind: ItemKind, id: string, content: JsonObject): JsonObject {
  const data: JsonObject = {};
  for (const [name, value] of Object.entries(content)) {
    if (OF_THE_SERVER.includes(name)) continue;
    if (!kind.members.includes(name)) {
      const hint = didYouMean(name, kind.members) ?? `There are ${kind.members.join(', ')}`;
      throw bad(name, `A ${kind.name} has no '${name}'`, hint);
    }
    data[name] = requireFit(name, value);
  }
  const missing = kind.required.find((name) => data[name] === undefined);
  if (missing !== undefined) throw bad(missing, `A ${kind.name} needs '${missing}'`, 'Send it as well');
  const most = rolesOf(data).length === 0 ? kind.mostBytes : MOST_SHARED_BYTES;
  requireStorableSize(`${kind.name}/${id}`, data, null, most);
  return data;
}

/** The roles that a view is shared with. */
export function rolesOf({ roles }: JsonObject): readonly string[] {
  return Array.isArray(roles) ? roles.map(String) : [];
}

function requireFit(name: string, value: JsonValue): JsonValue {
  if (name === 'value') return value;
  if (name === 'state') {
    if (isObject(value)) return value;
    throw bad(
      name,
      `'state' is ${JSON.stringify(value).slice(0, 100)}, and no object`,
      'Such as {"filter": "true"}',
    );
  }
  if (name === 'roles') {
    const isList = Array.isArray(value) && value.every((role) => typeof role === 'string' && role !== '');
    if (isList && value.length <= MOST_ROLES) return value;
    throw bad(name, `'roles' must be a list of at most ${MOST_ROLES} roles`, 'Such as ["svc-authorized"]');
  }
  if (typeof value === 'string' && value !== '' && value.length <= MOST_WORDS) return value;
  throw bad(name, `'${name}' must be a text of at most ${MOST_WORDS} characters`, 'A few words');
}

function bad(name: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'PERSONAL_BAD_ITEM', field: `/${name}`, hint });
}
