import { CompiledQuery } from 'kysely';
import { Batcher, type Db } from '#database/index.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/** Where an object stands within its table. */
export interface ObjectKey {
  readonly type: string;
  readonly id: string;
}

/** An object that is read, and whose name for it comes along. */
export interface WantedObject extends ObjectKey {
  readonly knownTo?: string;
}

/** JSON keeps the two apart whatever characters they hold. */
export function keyOf({ type, id }: ObjectKey): string {
  return JSON.stringify([type, id]);
}

/**
 * Reads objects by id outside transactions, those of one turn of the event loop together. A statement leaves after
 * the requests it serves have come, so a client still reads its own writes.
 */
export function objectReader(
  db: Db,
  table: ObjectStore['table'],
): Batcher<WantedObject, StoredObject | undefined> {
  // As text, and not as a template: it is compiled once, and run for each read.
  const text = `
    select o.type, o.id, o.rev, o.data, o.created_at, o.updated_at from unnest($1::text[], $2::text[]) as key(type, id)
    join ${table} o on o.type = key.type collate "C" and o.id = key.id collate "C"`;
  // How many keys there are shows only in their values, so Postgres plans for these each time; for one it has a plan.
  const ofOne = `select o.type, o.id, o.rev, o.data, o.created_at, o.updated_at
    from ${table} o where o.type = $1 and o.id = $2`;
  return new Batcher({
    maxInFlight: 2,
    maxBatch: 500,
    async run(keys) {
      if (keys.some(({ knownTo }) => knownTo !== undefined)) return readNamed(db, table, keys);
      const [only, ...others] = keys;
      const query =
        only !== undefined && others.length === 0
          ? CompiledQuery.raw(ofOne, [only.type, only.id])
          : CompiledQuery.raw(text, [keys.map(({ type }) => type), keys.map(({ id }) => id)]);
      const { rows } = await db.executeQuery<StoredObject & { type: string }>(query);
      const found = new Map(
        rows.map(({ type, ...object }): [string, StoredObject] => [keyOf({ type, id: object.id }), object]),
      );
      return keys.map((key) => found.get(keyOf(key)));
    },
  });
}

/** The same with what clients call them. Several of them may ask for one object. */
async function readNamed(
  db: Db,
  table: ObjectStore['table'],
  keys: readonly WantedObject[],
): Promise<readonly (StoredObject | undefined)[]> {
  const columns = 'o.id, o.rev, o.data, o.created_at, o.updated_at, e.external_id';
  const name = 'scim_external_id e on e.type = o.type and e.id = o.id';
  const [only, ...others] = keys;
  const query =
    only !== undefined && others.length === 0
      ? CompiledQuery.raw(
          `select 1 as place, ${columns} from ${table} o left join ${name} and e.client = $3 where o.type = $1 and o.id = $2`,
          [only.type, only.id, only.knownTo],
        )
      : CompiledQuery.raw(
          `select key.place, ${columns}
           from unnest($1::text[], $2::text[], $3::text[]) with ordinality as key(type, id, client, place)
           join ${table} o on o.type = key.type collate "C" and o.id = key.id collate "C"
           left join ${name} and e.client = key.client collate "C"`,
          [
            keys.map(({ type }) => type),
            keys.map(({ id }) => id),
            keys.map(({ knownTo }) => knownTo ?? null),
          ],
        );
  const { rows } = await db.executeQuery<StoredObject & { place: number }>(query);
  const found: (StoredObject | undefined)[] = keys.map(() => undefined);
  for (const { place, ...object } of rows) found[place - 1] = object;
  return found;
}
