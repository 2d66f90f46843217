import { knownHistory } from '#security/index.ts';
import { entryOf, type HistoryOptions, pagesOf, topicsOf } from './take-history.ts';

/** Whether each entry there is here; none is changed here. */
export async function verifyHistory(
  options: Pick<HistoryOptions, 'foreign' | 'place' | 'database' | 'since' | 'tally'>,
): Promise<void> {
  const { foreign, tally, database } = options;
  for (const topic of topicsOf(foreign)) {
    const about = `audit/${topic}`;
    for await (const rows of pagesOf(options, topic)) {
      const entries = rows.flatMap((row) => entryOf(topic, row, options));
      const known = await knownHistory(database.db, entries);
      tally.of(about).read += rows.length;
      tally.of(about).unchanged += known;
      const lacking = entries.length - known;
      if (lacking > 0) tally.remark({ about, id: null, reason: 'They are not here', isLeft: true }, lacking);
    }
  }
}
