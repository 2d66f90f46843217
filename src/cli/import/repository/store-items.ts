import type { AuthenticationConfig } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { listTakenNames } from '#security/index.ts';
import type { Item, StoredKind } from './item.ts';
import {
  findComeFrom,
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
const NAME_TAKEN =
  'Somebody here logs in by its name, or one that looks the same: give one of them another name';
const NAME_REFUSED = 'Its name is that of a user of authentication.json, of the administrator or of nobody';
/** Roles that a node makes at its first start, for which the description is all that they have. */
const MADE_BY_NODES = 'internal/role';

interface Sorted {
  readonly created: readonly Item[];
  readonly updated: readonly (Item & { readonly seen: number })[];
}

/** Writes items, each page with the note that it has come; or finds out what that would do. */
export class ItemStore {
  readonly #db: Db;
  readonly #source: string;
  readonly #isApplied: boolean;
  readonly #tally: Tally;
  readonly #authentication: AuthenticationConfig;
  readonly #probes = new Map<StoredKind, string>();

  /** @param options.source where the items come from, as it is noted */
  constructor(
    db: Db,
    {
      source,
      isApplied,
      tally,
      authentication,
    }: {
      readonly source: string;
      readonly isApplied: boolean;
      readonly tally: Tally;
      readonly authentication: AuthenticationConfig;
    },
  ) {
    this.#db = db;
    this.#source = source;
    this.#isApplied = isApplied;
    this.#tally = tally;
    this.#authentication = authentication;
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
      const { created, updated } = await this.#named(this.#db, this.#sort(items, known, about), about);
      const stored = await this.#probe(kind, created);
      this.#count(about, created, stored, updated.length);
      return;
    }
    await this.#db.transaction().execute(async (db) => {
      const known = await findKnown(db, this.#source, kind, items);
      const { created, updated } = await this.#named(db, this.#sort(items, known, about), about);
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

  #sort(items: readonly Item[], known: readonly Known[], about: string): Sorted {
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

  /** Leaves out accounts by whose names others log in here; what has come from there itself is as alike as it was. */
  async #named(db: Db, { created, updated }: Sorted, about: string): Promise<Sorted> {
    const coming = [...created, ...updated].filter(({ kind }) => kind === 'managed');
    const accounts = coming.map(({ type, id, data }) => ({
      collection: `managed/${type}`,
      id,
      content: data,
    }));
    const taken = await listTakenNames(db, this.#authentication, accounts);
    if (taken.length === 0) return { created, updated };
    const owners = taken.flatMap(({ owner }) => owner ?? []);
    const objects = owners.map(({ collection, id }) => ({ type: collection.replace(/^managed\//, ''), id }));
    const ofThere = await findComeFrom(db, this.#source, objects);
    const left = new Map(
      taken
        .filter(({ owner }) => owner === undefined || !ofThere.has(`${owner.collection}/${owner.id}`))
        .map(({ id, owner }) => [id, owner === undefined ? NAME_REFUSED : NAME_TAKEN]),
    );
    for (const [id, reason] of left) this.#leave(about, id, reason);
    return {
      created: created.filter(({ id }) => !left.has(id)),
      updated: updated.filter(({ id }) => !left.has(id)),
    };
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
