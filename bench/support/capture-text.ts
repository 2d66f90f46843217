import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Db } from '#database/index.ts';
import type { Tables } from '#database/tables.ts';

/**
 * The text of the statement that the product would send, with the variables of a pgbench script in place of its
 * parameters: taken from it at run time, so that the two cannot part.
 *
 * @param standIns which variable stands for which value
 */
export async function captureText(
  standIns: ReadonlyMap<unknown, string>,
  act: (db: Db) => Promise<unknown>,
): Promise<string> {
  let text = '';
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      text = query.sql.replaceAll(/\$(\d+)/g, (_, number) => {
        const value = query.parameters[Number(number) - 1];
        const variable = standIns.get(value);
        if (variable === undefined) throw new Error(`The parameter ${String(value)} is not known here`);
        return variable;
      });
    },
  });
  await act(db);
  return text;
}
