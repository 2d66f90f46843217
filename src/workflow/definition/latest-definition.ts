import { Batcher, type Db } from '#database/index.ts';
import { type DefinitionRow, findLatest } from './definition-repository.ts';

const MOST_AT_ONCE = 100;

const batchers = new WeakMap<Db, Batcher<string, DefinitionRow | undefined>>();

/**
 * The latest version of a process as it is now. Who asks for the same one in one turn of the event loop is answered by one
 * statement: it leaves when they have asked, so nobody is told of less than what was deployed before.
 */
export function latestDefinition(db: Db, key: string): Promise<DefinitionRow | undefined> {
  if (db.isTransaction) return findLatest(db, key);
  const made =
    batchers.get(db) ??
    new Batcher<string, DefinitionRow | undefined>({
      maxInFlight: 2,
      maxBatch: MOST_AT_ONCE,
      async run(keys) {
        const unique = [...new Set(keys)];
        const found = await Promise.all(unique.map((each) => findLatest(db, each)));
        return keys.map((each) => found[unique.indexOf(each)]);
      },
    });
  batchers.set(db, made);
  return made.add(key);
}
