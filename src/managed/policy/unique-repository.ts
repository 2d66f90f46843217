import { type RawBuilder, sql } from 'kysely';
import { type Db, LOCK, lockNamed } from '#database/index.ts';
import { type JsonValue, parsePointer } from '#json/index.ts';
import { filterSql, type ObjectStore, objectTable, storeAt } from '#repo/index.ts';

/** A value that no other object of the collection may have. */
export interface UniqueValue {
  /** Such as `managed/user`. */
  readonly collection: string;
  /** Its place; `[]` stands for any element of an array. */
  readonly property: string;
  /** The value, with the letters of ASCII in lower case where case is ignored. */
  readonly value: string;
  readonly ignoresCase: boolean;
  /** The id of the object that has it. */
  readonly id: string;
}

/** The advisory lock of all that ask about the same value. */
export function lockOf({ collection, property, value }: Omit<UniqueValue, 'id'>): string {
  return LOCK.uniqueValue(collection, property, value);
}

/** Queues those who ask about the same value until the end of their transactions. */
export async function lockValue(db: Db, wanted: Omit<UniqueValue, 'id'>): Promise<void> {
  await lockNamed(db, lockOf(wanted));
}

/** The id of another object of the collection whose property has that value. */
export async function findOther(
  db: Db,
  { collection, property, value, ignoresCase }: Omit<UniqueValue, 'id'>,
  ownId: string | null,
): Promise<string | undefined> {
  const store = storeOf(collection);
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(store.table)}
    where type = ${sql.lit(store.type)} and ${hasValue(property, value, ignoresCase)}
      and id is distinct from ${ownId} limit 1`.execute(db);
  return rows[0]?.id;
}

function hasValue(property: string, value: string, ignoresCase: boolean): RawBuilder<boolean> {
  if (!property.includes('[')) {
    const table = objectTable({ propertyTypes: new Map([[`/${property}`, 'string']]) });
    const equality = { kind: 'compare', pointer: parsePointer(property), operator: 'eq', value } as const;
    return filterSql(ignoresCase ? { ...equality, ignoresCase } : equality, table);
  }
  // Inside an array the value may stand in any element: what contains this shape has it somewhere.
  const shape = property
    .split(/\/|(?=\[)/)
    .reduceRight<JsonValue>((inner, token) => (token.startsWith('[') ? [inner] : { [token]: inner }), value);
  return sql<boolean>`data @> ${JSON.stringify(shape)}::jsonb`;
}

/** Where a collection is stored, such as `managed/user` or `repo/internal/user`. */
export function storeOf(collection: string): ObjectStore {
  return storeAt(collection.split('/'));
}
