import { historyKeptFrom, knownHistory } from '#security/index.ts';
import { entryOf, type HistoryOptions, pagesOf, topicsOf } from './take-history.ts';

/** Whether each entry there that is kept for so long is here; none is changed here. */
export async function verifyHistory(
  options: Pick<HistoryOptions, 'foreign' | 'place' | 'database' | 'since' | 'keepDays' | 'tally'>,
): Promise<void> {
  const { foreign, tally, database, keepDays } = options;
  const from = (await historyKeptFrom(database.db, keepDays)).getTime();
  for (const topic of topicsOf(foreign)) {
    const about = `audit/${topic}`;
    for await (const rows of pagesOf(options, topic)) {
      const entries = rows.flatMap((row) => entryOf(topic, row, options)).filter(({ at }) => at >= from);
      const known = await knownHistory(database.db, entries);
      tally.of(about).read += rows.length;
      tally.of(about).unchanged += known;
      const lacking = entries.length - known;
      if (lacking > 0) tally.remark({ about, id: null, reason: 'They are not here', isLeft: true }, lacking);
    }
  }
}
