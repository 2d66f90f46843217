import { sql } from 'kysely';
import type { GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { keyOf, type ObjectKey } from './object-reader.ts';
import type { ObjectStore } from './object-store.ts';

interface NewObject extends ObjectKey {
  readonly data: JsonObject;
}

/** Stores new objects; one whose id is taken is not stored. */
function objectInserts(table: ObjectStore['table']): GroupWrite<NewObject> {
  // In one order everywhere, so that two statements about the same ids do not wait for each other in turn.
  const insert = (objects: readonly NewObject[]) => sql`
    insert into ${sql.table(table)} (type, id, data)
    select type, id, data from jsonb_to_recordset(${JSON.stringify(objects)}::jsonb)
      as object (type text, id text, data jsonb) order by type, id`;
  return {
    insert,
    async run(db, objects) {
      const { rows } =
        await sql<ObjectKey>`${insert(objects)} on conflict do nothing returning type, id`.execute(db);
      const inserted = new Set(rows.map(keyOf));
      // Of two with the same id in one batch the first is stored.
      return objects.map((object) => inserted.delete(keyOf(object)));
    },
  };
}

const INSERTS = {
  managed_object: objectInserts('managed_object'),
  repo_object: objectInserts('repo_object'),
};

/** How new objects of a store are written; for `UnitOfWork.write`. */
export function insertsInto({ table }: ObjectStore): GroupWrite<NewObject> {
  return INSERTS[table];
}
