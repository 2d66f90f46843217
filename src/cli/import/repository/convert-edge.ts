import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { edgeRow, type ManagedType, type ManagedTypes } from '#managed/index.ts';
import { keyOf, left, parseObject, printOf } from './foreign-object.ts';
import type { ForeignRow, Item, Reading, Remark } from './item.ts';

interface End {
  readonly collection: string;
  readonly id: string;
}

/** Columns of newer versions, beside the JSON text, hold the same as its members do. */
export function convertEdge(types: ManagedTypes, row: ForeignRow): Reading {
  const read = parseObject(row.text);
  if ('reason' in read) return left('relationship', row.id, read.reason);
  const { _id, _rev, ...edge } = read.object;
  const first = endOf(edge, 'first');
  const second = endOf(edge, 'second');
  const [firstProperty, secondProperty] = [edge['firstPropertyName'], edge['secondPropertyName'] ?? null];
  if (first === undefined || second === undefined) {
    return left('relationship', row.id, 'It does not say which two objects it is between');
  }
  const owner = typeof firstProperty === 'string' ? firstProperty : null;
  const other = typeof secondProperty === 'string' ? secondProperty : null;
  if (owner === null && other === null)
    return left('relationship', row.id, 'No property of its ends knows of it');
  const own = isObject(edge['properties']) ? edge['properties'] : {};
  const { _id: _, _rev: __, ...properties } = own;
  const item = itemOf(types, keyOf(row), printOf(edge), {
    // A one-way edge belongs to the end that knows of it.
    ends: owner === null ? [second, first] : [first, second],
    names: [owner ?? other ?? '', owner === null ? null : other],
    properties,
  });
  return { items: [item], remarks: [] };
}

function endOf(edge: JsonObject, side: 'first' | 'second'): End | undefined {
  const [collection, id] = [edge[`${side}ResourceCollection`], edge[`${side}ResourceId`]];
  if (typeof collection === 'string' && typeof id === 'string') return { collection, id };
  return endAt(edge[`${side}Id`]);
}

/** The two parts of a reference; what is escaped in the id is not in ours. */
function endAt(path: JsonValue | undefined): End | undefined {
  const at = typeof path === 'string' ? path.lastIndexOf('/') : -1;
  if (typeof path !== 'string' || at < 1 || at === path.length - 1) return undefined;
  const id = path.slice(at + 1);
  try {
    return { collection: path.slice(0, at), id: decodeURIComponent(id) };
  } catch {
    return { collection: path.slice(0, at), id };
  }
}

function itemOf(
  types: ManagedTypes,
  key: Pick<Item, 'id' | 'rev' | 'foreignRev'>,
  print: string,
  edge: {
    readonly ends: readonly [End, End];
    readonly names: readonly [string, string | null];
    readonly properties: JsonObject;
    /** The collection whose objects hold it; absent of one that stands by itself. */
    readonly holder?: string;
  },
): Item {
  const [owner, other] = edge.ends;
  const [ownProperty, otherProperty] = edge.names;
  const { id: _, ...columns } = edgeRow({
    id: key.id,
    owner: { ...owner, property: ownProperty, isSingle: isSingle(types, owner, ownProperty) },
    other: { ...other, property: otherProperty, isSingle: isSingle(types, other, otherProperty) },
    properties: edge.properties,
  });
  return { kind: 'relationship', type: edge.holder ?? '', ...key, print, data: columns };
}

function isSingle(types: ManagedTypes, { collection }: End, property: string | null): boolean {
  return property !== null && types.at(collection)?.relationships.get(property)?.isArray === false;
}

/**
 * Edges that older versions keep as values of the object: texts, or `{_ref}`. They are taken out of it, and get ids of
 * their own that are the same each time.
 *
 * @param data is changed
 */
export function edgesInside(
  types: ManagedTypes,
  type: ManagedType,
  id: string,
  data: JsonObject,
  print: string,
): Reading {
  const items: Item[] = [];
  const remarks: Remark[] = [];
  const owner = { collection: `managed/${type.name}`, id };
  for (const { property, reverseProperty } of type.relationships.values()) {
    const held = data[property];
    if (held === undefined) continue;
    Reflect.deleteProperty(data, property);
    for (const value of Array.isArray(held) ? held : held === null ? [] : [held]) {
      const ref = isObject(value) ? value['_ref'] : value;
      const other = endAt(ref);
      if (other === undefined) {
        const reason = `'${property}' holds what is no reference`;
        remarks.push({ about: owner.collection, id, reason, isLeft: true });
        continue;
      }
      const own = isObject(value) && isObject(value['_refProperties']) ? value['_refProperties'] : {};
      const { _id, _rev, ...properties } = own;
      const hash = createHash('sha256')
        .update(JSON.stringify([owner, property, other, properties]))
        .digest('hex');
      const key = {
        id: typeof _id === 'string' ? _id : uuidOf(hash),
        rev: 0,
        foreignRev: print.slice(0, 16),
      };
      const edge = {
        ends: [owner, other],
        names: [property, reverseProperty],
        properties,
        holder: owner.collection,
      } as const;
      items.push(itemOf(types, key, hash, edge));
    }
  }
  return { items, remarks };
}

function uuidOf(hash: string): string {
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
