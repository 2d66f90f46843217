import { Batcher, type Db } from '#database/index.ts';
import { comparedBy, listFree, type UniqueValue } from './unique-value-repository.ts';

const MOST_AT_ONCE = 100;

const batchers = new WeakMap<Db, Batcher<UniqueValue, boolean>>();

/**
 * Whether no other object has the value now, as far as can be seen outside of a transaction. What is asked in one turn of the event
 * loop leaves together, a statement for each property.
 */
export function seemsFree(db: Db, wanted: UniqueValue): Promise<boolean> {
  const made =
    batchers.get(db) ??
    new Batcher<UniqueValue, boolean>({
      maxInFlight: 2,
      maxBatch: MOST_AT_ONCE,
      async run(all) {
        const alike = Map.groupBy(all, comparedBy);
        const free = new Set<UniqueValue>();
        await Promise.all(
          [...alike.values()].map(async (group) => {
            const places = new Set(await listFree(db, group));
            for (const [at, each] of group.entries()) if (places.has(at)) free.add(each);
          }),
        );
        return all.map((each) => free.has(each));
      },
    });
  batchers.set(db, made);
  return made.add(wanted);
}
