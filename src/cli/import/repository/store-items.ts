import type { Db } from '#database/index.ts';
import type { Item, StoredKind } from './item.ts';
import {
  findKnown,
  insertItems,
  type Known,
  makeProbe,
  noteItems,
  releaseNames,
  updateItems,
} from './store-repository.ts';
import type { Tally } from './tally.ts';

const CHANGED_HERE = 'It was changed here since it came, and stays as it is here';
const DELETED_HERE = 'It has changed at the other server, and was deleted here since it came: it stays away';
const HERE_BEFORE = 'There is one here that has not come from there, which stays as it is';
const TWICE = 'The same is here already, or its property holds one alone and has it';
/** Roles that a node makes at its first start, for which the description is all that they have. */
const MADE_BY_NODES = 'internal/role';

/** Writes items, each page with the note that it has come; or finds out what that would do. */
export class ItemStore {
  readonly #db: Db;
  readonly #source: string;
  readonly #isApplied: boolean;
  readonly #tally: Tally;
  readonly #probes = new Map<StoredKind, string>();

  /** @param options.source where the items come from, as it is noted */
  constructor(
    db: Db,
    {
      source,
      isApplied,
      tally,
    }: { readonly source: string; readonly isApplied: boolean; readonly tally: Tally },
  ) {
    this.#db = db;
    this.#source = source;
    this.#isApplied = isApplied;
    this.#tally = tally;
  }

  /** @param about how the table is told that they are from; edges out of objects are told by themselves */
  async take(about: string, items: readonly Item[]): Promise<void> {
    const byKind = Map.groupBy(items, ({ kind }) => kind);
    const first = items[0]?.kind;
    for (const [kind, all] of byKind) {
      const own = [...new Map(all.map((item) => [`${item.type} ${item.id}`, item])).values()];
      await this.#takeKind(kind, own, kind === first ? about : kind);
    }
  }

  async #takeKind(kind: StoredKind, items: readonly Item[], about: string): Promise<void> {
    if (!this.#isApplied) {
      const known = await findKnown(this.#db, this.#source, kind, items);
      const { created, updated } = this.#sort(items, known, about);
      const stored = await this.#probe(kind, created);
      this.#count(about, created, stored, updated.length);
      return;
    }
    await this.#db.transaction().execute(async (db) => {
      const known = await findKnown(db, this.#source, kind, items);
      const { created, updated } = this.#sort(items, known, about);
      const stored = created.length === 0 ? new Set<string>() : await insertItems(db, kind, created);
      const changed = updated.length === 0 ? new Map<string, number>() : await updateItems(db, kind, updated);
      const written = [
        ...created.filter(({ id }) => stored.has(id)),
        ...updated.flatMap((item) => {
          const rev = changed.get(item.id);
          return rev === undefined ? [] : [{ ...item, rev }];
        }),
      ];
      if (written.length > 0) await noteItems(db, this.#source, kind, written);
      const named = updated.filter(({ kind }) => kind === 'managed' || kind === 'repo').map(({ id }) => id);
      if (named.length > 0) await releaseNames(db, about, named);
      this.#count(about, created, stored, changed.size);
      for (const { id } of updated.filter(({ id }) => !changed.has(id))) this.#leave(about, id, CHANGED_HERE);
    });
  }

  #sort(items: readonly Item[], known: readonly Known[], about: string) {
    const created: Item[] = [];
    const updated: (Item & { seen: number })[] = [];
    items.forEach((item, at) => {
      const { here, written, isSame } = known[at] ?? { here: null, written: null, isSame: false };
      if (isSame || (written === null && here !== null && item.type === MADE_BY_NODES)) {
        this.#tally.of(about).unchanged++;
      } else if (written === null) {
        if (here === null) created.push(item);
        else this.#leave(about, item.id, HERE_BEFORE);
      } else if (here === null) this.#leave(about, item.id, DELETED_HERE);
      else if (here !== written) this.#leave(about, item.id, CHANGED_HERE);
      else updated.push({ ...item, seen: here });
    });
    return { created, updated };
  }

  /** Some edges and links may be there only once, which a plan finds out in an empty copy of the table. */
  async #probe(kind: StoredKind, created: readonly Item[]): Promise<ReadonlySet<string>> {
    if (kind === 'managed' || kind === 'repo' || created.length === 0)
      return new Set(created.map(({ id }) => id));
    let probe = this.#probes.get(kind);
    if (probe === undefined) {
      probe = await makeProbe(this.#db, kind);
      this.#probes.set(kind, probe);
    }
    return insertItems(this.#db, kind, created, probe);
  }

  #count(about: string, created: readonly Item[], stored: ReadonlySet<string>, updated: number): void {
    const counts = this.#tally.of(about);
    counts.created += stored.size;
    counts.updated += updated;
    for (const { id } of created) if (!stored.has(id)) this.#leave(about, id, TWICE);
  }

  #leave(about: string, id: string, reason: string): void {
    this.#tally.remark({ about, id, reason, isLeft: true });
  }
}
