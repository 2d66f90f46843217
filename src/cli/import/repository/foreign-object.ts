import { createHash } from 'node:crypto';
import { canonicalText, isObject, isTooDeep, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ForeignRow, Item, Reading, Remark } from './item.ts';

/** Texts that no JSON of Postgres holds: what is left of a broken character, and a zero. */
const UNSOUND = /\\u(?:0000|[dD][89a-fA-F])/;

/** The object of a row. @returns a reason where it is none */
export function parseObject(text: string): { readonly object: JsonObject } | { readonly reason: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { reason: 'Its text is no JSON' };
  }
  if (!isObject(parsed)) return { reason: 'It is no object' };
  const object = UNSOUND.test(text) ? sound(parsed) : parsed;
  if (!isObject(object)) return { reason: 'It is no object' };
  if (isTooDeep(object)) return { reason: 'It is nested too deeply' };
  return { object };
}

function sound(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\u0000', '\ufffd');
  if (Array.isArray(value)) return value.map(sound);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [sound(name), sound(member)]));
}

/** A hash of what was read, whatever the order of its members. */
export function printOf(value: JsonValue): string {
  return createHash('sha256').update(canonicalText(value)).digest('hex');
}

/** Revisions that are no numbers begin anew. */
function revisionOf(rev: string): number {
  return /^\d{1,15}$/.test(rev) ? Number(rev) : 0;
}

export function keyOf({ id, rev }: ForeignRow): Pick<Item, 'id' | 'rev' | 'foreignRev'> {
  return { id, rev: revisionOf(rev), foreignRev: rev };
}

export function left(about: string, id: string, reason: string): Reading {
  return { items: [], remarks: [{ about, id, reason, isLeft: true }] };
}

export function remark(about: string, id: string | null, reason: string): Remark {
  return { about, id, reason, isLeft: false };
}
