import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { Batcher } from './batcher.ts';
import { keyOf, type ObjectKey } from './object-reader.ts';
import type { ObjectStore } from './object-store.ts';

export interface NewObject extends ObjectKey {
  readonly data: JsonObject;
}

/**
 * Stores new objects, each of which is a whole unit of work by itself; those that come in together are committed
 * together. Answers false for an id that is taken, and true for what is stored and committed.
 */
export function objectWriter(db: Db, table: ObjectStore['table']): Batcher<NewObject, boolean> {
  return new Batcher({
    maxInFlight: 4,
    maxBatch: 200,
    async run(objects) {
      const { rows } = await sql<ObjectKey>`
        insert into ${sql.table(table)} (type, id, data)
        select * from unnest(${objects.map(({ type }) => type)}::text[], ${objects.map(({ id }) => id)}::text[],
                             ${objects.map(({ data }) => JSON.stringify(data))}::jsonb[])
        on conflict do nothing
        returning type, id`.execute(db);
      const inserted = new Set(rows.map(keyOf));
      // Of two with the same id in one batch the first is stored.
      return objects.map((object) => inserted.delete(keyOf(object)));
    },
  });
}
