import type { Remark } from './item.ts';

/** What has become of the items of one table. */
export interface Counts {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  /** What does not come. */
  left: number;
}

/** One thing that is said of several. */
export interface ToldRemark {
  readonly about: string;
  readonly reason: string;
  readonly isLeft: boolean;
  count: number;
  /** The first of them. */
  readonly ids: string[];
}

const MOST_IDS = 10;
const MOST_REMARKS = 500;

/** Counts and remarks of one run, however many rows there are. */
export class Tally {
  readonly #counts = new Map<string, Counts>();
  readonly #remarks = new Map<string, ToldRemark>();

  of(about: string): Counts {
    const known = this.#counts.get(about);
    if (known !== undefined) return known;
    const counts = { read: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, left: 0 };
    this.#counts.set(about, counts);
    return counts;
  }

  /** @param count default 1 */
  remark({ about, id, reason, isLeft }: Remark, count = 1): void {
    if (isLeft) this.of(about).left += count;
    const key = JSON.stringify([about, reason, isLeft]);
    let told = this.#remarks.get(key);
    if (told === undefined) {
      if (this.#remarks.size >= MOST_REMARKS) return;
      told = { about, reason, isLeft, count: 0, ids: [] };
      this.#remarks.set(key, told);
    }
    told.count += count;
    if (id !== null && told.ids.length < MOST_IDS) told.ids.push(id);
  }

  get kinds(): readonly (Counts & { readonly about: string })[] {
    return [...this.#counts].map(([about, counts]) => ({ about, ...counts }));
  }

  get remarks(): readonly ToldRemark[] {
    return [...this.#remarks.values()];
  }

  get hasLeft(): boolean {
    return [...this.#counts.values()].some(({ left }) => left > 0);
  }

  /** How many were written, or would be. */
  get changed(): number {
    return [...this.#counts.values()].reduce(
      (sum, { created, updated, deleted }) => sum + created + updated + deleted,
      0,
    );
  }
}
