import type { Database } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { findWordless, storeWords } from '../store/words-repository.ts';
import { withoutAnchor } from './next-firing.ts';
import { scheduleWords } from './schedule-words.ts';

/** Nodes of the version before register schedules without words while they are replaced one by one. */
const INTERVAL_MS = 6 * 3_600_000;
const BATCH = 1_000;

/** Gives words to schedules that were registered without any. */
export function wordKeeper(database: Pick<Database, 'db'>, observe: Observe): Service {
  let after = 0;
  return new Ticker({
    name: 'words of schedules',
    intervalMs: INTERVAL_MS,
    async runOnce() {
      const { wordless, last } = await findWordless(database.db, after, BATCH);
      const spoken = wordless.map(({ triggerId, definition }) => ({
        triggerId,
        words: scheduleWords(withoutAnchor(definition)),
      }));
      if (spoken.length > 0) await storeWords(database.db, spoken);
      after = last ?? 0;
      return last === null ? undefined : 0;
    },
    observe,
  });
}
