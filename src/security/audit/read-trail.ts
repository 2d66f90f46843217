import type { Db } from '#database/index.ts';
import { AUDIT_TOPICS, type AuditTopic } from './audit-event.ts';
import type { Segment, StoredEntry } from './stored-entry.ts';
import { findEntries, findOldEntries, findSeals, type TrailRange } from './trail-repository.ts';

/** Seals with their entries, in the order of their numbers, a page at a time: what is sealed changes no more. */
export async function* readSegments(db: Db, range: TrailRange, upTo: number): AsyncGenerator<Segment> {
  let after = 0;
  for (;;) {
    const seals = await findSeals(db, range, { after, upTo });
    if (seals.length === 0) return;
    const entries = Map.groupBy(await findEntries(db, seals), ({ id }) => id);
    for (const seal of seals) {
      yield { seal, entries: new Map(seal.ids.map((id) => [id, entries.get(id) ?? []])) };
    }
    after = seals.at(-1)!.number;
  }
}

/** Entries from before the first seal. */
export async function* readOldEntries(
  db: Db,
  range: TrailRange,
  topic: AuditTopic | undefined,
): AsyncGenerator<StoredEntry> {
  for (const one of topic === undefined ? AUDIT_TOPICS : [topic]) {
    let after: string | undefined;
    for (;;) {
      const entries = await findOldEntries(db, one, range, after);
      if (entries.length === 0) break;
      yield* entries;
      after = entries.at(-1)!.id;
    }
  }
}
