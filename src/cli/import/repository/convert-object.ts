import { createHash } from 'node:crypto';
import { hasEnvelope } from '#crypto/index.ts';
import {
  canonicalText,
  cloneJson,
  isObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
} from '#json/index.ts';
import type { ManagedType, ManagedTypes } from '#managed/index.ts';
import { edgesInside } from './convert-edge.ts';
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
export function revisionOf(rev: string): number {
  return /^\d{1,15}$/.test(rev) ? Number(rev) : 0;
}

/** What the server calculates is left out, and what a property holds that is a relationship here becomes edges. */
export function convertManaged(types: ManagedTypes, typeName: string, row: ForeignRow): Reading {
  const about = `managed/${typeName}`;
  const read = parseObject(row.text);
  if ('reason' in read) return left(about, row.id, read.reason);
  const { _id, _rev, ...content } = read.object;
  const print = printOf(content);
  const type = types.current().get(typeName);
  const data = cloneJson(content);
  const inside =
    type === undefined ? { items: [], remarks: [] } : edgesInside(types, type, row.id, data, print);
  for (const name of calculatedIn(type)) Reflect.deleteProperty(data, name);
  const item = { kind: 'managed', type: typeName, ...keyOf(row), print, data } as const;
  return { items: [item, ...inside.items], remarks: inside.remarks };
}

function calculatedIn(type: ManagedType | undefined): readonly string[] {
  return type === undefined ? [] : type.calculated.map(({ name }) => name);
}

/** Anything below `/repo`. */
export function convertRaw(type: string, row: ForeignRow): Reading {
  const read = parseObject(row.text);
  if ('reason' in read) return left(`repo/${type}`, row.id, read.reason);
  const { _id, _rev, ...data } = read.object;
  return { items: [{ kind: 'repo', type, ...keyOf(row), print: printOf(data), data }], remarks: [] };
}

export function keyOf({ id, rev }: ForeignRow): Pick<Item, 'id' | 'rev' | 'foreignRev'> {
  return { id, rev: revisionOf(rev), foreignRev: rev };
}

export function left(about: string, id: string, reason: string): Reading {
  return { items: [], remarks: [{ about, id, reason, isLeft: true }] };
}

/** What an item holds that is encrypted or hashed, by the pointers of its members; no deeper than two levels. */
export function* envelopesIn({ data }: Item): Generator<readonly [property: string, envelope: JsonObject]> {
  if (!hasEnvelope(data)) return;
  for (const [name, value] of Object.entries(data)) yield* envelopesAt(name, value);
}

function* envelopesAt(name: string, value: JsonValue): Generator<readonly [string, JsonObject]> {
  if (Array.isArray(value)) for (const one of value) yield* envelopesAt(name, one);
  if (!isObject(value)) return;
  if (isObject(value['$crypto'])) yield [name, value['$crypto']];
  else for (const [member, inner] of Object.entries(value)) yield* envelopesAt(`${name}/${member}`, inner);
}

export function remark(about: string, id: string | null, reason: string): Remark {
  return { about, id, reason, isLeft: false };
}
