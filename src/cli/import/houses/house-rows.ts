import { createHash } from 'node:crypto';
import { formatPointer, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ManagedType, ManagedTypes } from '#managed/index.ts';
import { convertEdge } from '../repository/convert-edge.ts';
import { convertManaged } from '../repository/convert-object.ts';
import { remark } from '../repository/foreign-object.ts';
import type { ImportStep, Pages } from '../repository/import-source.ts';
import type { ForeignRow } from '../repository/item.ts';

/** Something of another house, as a managed object, with what is to be said about it. */
export interface HouseObject {
  readonly id: string;
  readonly content: JsonObject;
  readonly notes: readonly string[];
}

/** Ids of two objects, the first of which holds a list of references to such as the second. */
export type HouseEdge = readonly [owner: string, other: string];

/** Rows that are held in memory. */
export function pagesOfAll(rows: readonly ForeignRow[]): Pages {
  return async function* (size, wanted) {
    for (let at = 0; at < rows.length; at += size) {
      const page = rows.slice(at, at + size);
      const ids = await wanted?.(page.map(({ id, rev }) => ({ id, rev })));
      yield {
        keys: page.map(({ id }) => id),
        rows: ids === undefined ? page : page.filter(({ id }) => ids.has(id)),
      };
    }
  };
}

/** The revision of what has none: another content is another revision. */
function rowOf(id: string, content: JsonObject): ForeignRow {
  const text = JSON.stringify(content);
  return { key: id, id, rev: hashOf([text]).slice(0, 16), text };
}

export function objectStep(types: ManagedTypes, type: string, objects: readonly HouseObject[]): ImportStep {
  const about = `managed/${type}`;
  const notes = new Map(objects.map((object) => [object.id, object.notes]));
  const required = types.current().get(type)?.required ?? [];
  return {
    group: 'managed',
    about,
    kind: 'managed',
    type,
    pages: pagesOfAll(objects.map(({ id, content }) => rowOf(id, content))),
    convert: (row) => {
      const { items, remarks } = convertManaged(types, type, row);
      const lacking = required.filter((name) => !items.every(({ data }) => name in data));
      const lacks = lacking.map(
        (name) => `It has no '${name}', which it needs before anything of it can be changed here`,
      );
      const said = [...(notes.get(row.id) ?? []), ...lacks].map((note) => remark(about, row.id, note));
      return { items, remarks: [...remarks, ...said] };
    },
  };
}

/** @param property of the first ones, a list of references */
export function edgeStep(
  types: ManagedTypes,
  { owner, property, other }: { readonly owner: string; readonly property: string; readonly other: string },
  edges: readonly HouseEdge[],
): ImportStep {
  const reverse = types.current().get(owner)?.relationships.get(property)?.reverseProperty ?? null;
  const rows = edges.map(([from, to]) =>
    rowOf(uuidOf([owner, property, from, other, to]), {
      firstId: `managed/${owner}/${encodeURIComponent(from)}`,
      firstPropertyName: property,
      secondId: `managed/${other}/${encodeURIComponent(to)}`,
      secondPropertyName: reverse,
    }),
  );
  return {
    group: 'relationship',
    about: `managed/${owner}/${property}`,
    kind: 'relationship',
    type: '',
    pages: pagesOfAll(rows),
    convert: (row) => convertEdge(types, row),
  };
}

/** A value for a property as its type wants it; undefined where it has none for it. */
export function valueFor(
  type: ManagedType | undefined,
  property: string,
  values: readonly string[],
): JsonValue | undefined {
  const known = type?.compiled.get(property);
  if (known === undefined || known.relationship !== null || known.derivation !== null) return undefined;
  // What is kept secret here is not stored as it is.
  if (known.encryption !== null || known.hashAlgorithm !== null) return undefined;
  switch (type?.propertyTypes.get(formatPointer([property]))) {
    case 'array':
      return [...values];
    case 'number':
      return Number.isFinite(Number(values[0])) ? Number(values[0]) : undefined;
    case 'boolean':
      return /^(?:true|1)$/i.test(values[0] ?? '');
    default:
      return values[0];
  }
}

/** The same one each time for the same names. */
export function uuidOf(names: readonly string[]): string {
  const hash = hashOf(names);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}

function hashOf(names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}

/** A hash of a password as it is stored here. */
export function storedHash(value: JsonObject): JsonObject {
  return { $crypto: { type: 'salted-hash', value } };
}
