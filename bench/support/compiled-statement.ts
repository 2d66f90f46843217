import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Db } from '#database/index.ts';
import type { Tables } from '#database/tables.ts';

/** The last statement that the product would send, made at run time, so that the two cannot part; undefined where it sends none. */
export async function compiledStatement(
  act: (db: Db) => Promise<unknown>,
): Promise<CompiledQuery | undefined> {
  let made: CompiledQuery | undefined;
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      made = query;
    },
  });
  await act(db);
  return made;
}
