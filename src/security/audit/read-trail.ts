import type { Db } from '#database/index.ts';
import { lastOf } from '#json/index.ts';
import { AUDIT_TOPICS, type AuditTopic } from './audit-event.ts';
import type { StoredEntry } from './stored-entry.ts';
import {
  findEntries,
  findOldEntries,
  findSeals,
  type PlacedEntry,
  type StoredSeal,
  type TrailRange,
} from './trail-repository.ts';

/** What the trail consists of: entries, each with the seal that covers it somewhere behind it. */
export type TrailItem = StoredEntry | StoredSeal;

export function isSeal(item: TrailItem): item is StoredSeal {
  return 'seal' in item;
}

/** Reads by the numbers of seals, a page at a time: what is sealed changes no more. */
export async function* readTrail(db: Db, range: TrailRange): AsyncGenerator<TrailItem> {
  let last: StoredSeal | undefined;
  for (;;) {
    const page = await findSeals(db, range, last);
    last = page.at(-1);
    if (last === undefined) return;
    yield* withEntries(db, page);
  }
}

async function* withEntries(db: Db, page: readonly StoredSeal[]): AsyncGenerator<TrailItem> {
  const waiting = [...page];
  let covered = 0;
  for await (const { place, entry } of entriesOf(db, page)) {
    for (;;) {
      const next = covered + (waiting[0]?.seal?.ids.length ?? 0);
      if (place <= next) break;
      covered = next;
      yield waiting.shift()!;
    }
    yield entry;
  }
  yield* waiting;
}

async function* entriesOf(db: Db, page: readonly StoredSeal[]): AsyncGenerator<PlacedEntry> {
  const ids = page.flatMap(({ seal }) => seal?.ids ?? []);
  const months = page.flatMap(({ seal }) => seal?.month ?? []);
  for (let read = 0; read < ids.length; ) {
    const found = await findEntries(db, ids.slice(read), months);
    if (found.length === 0) return;
    for (const { place, entry } of found) yield { place: read + place, entry };
    read += lastOf(found).place;
  }
}

/** Entries from before the first seal. */
export async function* readOldEntries(
  db: Db,
  range: TrailRange & { readonly sealedSince: string },
  topic: AuditTopic | undefined,
): AsyncGenerator<StoredEntry> {
  for (const one of topic === undefined ? AUDIT_TOPICS : [topic]) {
    let last: StoredEntry | undefined;
    for (;;) {
      const entries = await findOldEntries(db, one, range, last);
      last = entries.at(-1);
      if (last === undefined) break;
      yield* entries;
    }
  }
}
