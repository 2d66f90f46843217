import { hasEnvelope } from '#crypto/index.ts';
import { cloneJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ManagedType, ManagedTypes } from '#managed/index.ts';
import { edgesInside } from './convert-edge.ts';
import { keyOf, left, parseObject, printOf } from './foreign-object.ts';
import type { ForeignRow, Item, Reading } from './item.ts';

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
