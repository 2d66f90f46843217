import { createHash, randomUUID } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';

/** A listing that somebody reads page by page holds a connection, so that there are few, and not for long. */
const MOST_HELD = 5;
const IDLE_MS = 60_000;

/** Objects that are passed over to come to a page again. */
const MOST_SKIPPED = 1_000_000;

type Listing = AsyncGenerator<JsonObject, void, undefined>;

interface Held {
  readonly listing: Listing;
  /** What stands at the beginning of the next page. */
  readonly next: JsonObject;
  readonly offset: number;
  readonly timer: NodeJS.Timeout;
}

export interface ListedPage {
  readonly objects: readonly JsonObject[];
  /** Null on the last page. */
  readonly cookie: string | null;
}

/**
 * Pages of listings that another system gives once, in its own order. A listing waits for whoever comes with its cookie; on another
 * node, or after too long, it is begun anew and read up to where it was, where its order is always the same.
 */
export class HeldListings {
  readonly #held = new Map<string, Held>();
  readonly #isStable: () => boolean;

  constructor(isStable: () => boolean) {
    this.#isStable = isStable;
  }

  /**
   * @param question all that says what is listed; a cookie is of no other one
   * @throws BadRequestError `PAGING_BAD_COOKIE`
   */
  async page(
    begin: () => Listing,
    question: string,
    { pageSize, offset, cookie }: { pageSize: number; offset: number; cookie?: string },
  ): Promise<ListedPage> {
    const scope = createHash('sha256').update(question).digest('base64url').slice(0, 16);
    const place = cookie === undefined ? undefined : placeOf(cookie, scope);
    const held = place === undefined ? undefined : this.#take(place.id, place.offset);
    if (place !== undefined && held === undefined && !this.#isStable()) {
      throw badCookie('The listing that the cookie is of has ended');
    }
    const listing = held?.listing ?? begin();
    const start = held?.offset ?? place?.offset ?? offset;
    const objects: JsonObject[] = held === undefined ? [] : [held.next];
    let toSkip = held === undefined ? start : 0;
    if (toSkip > MOST_SKIPPED) throw badCookie(`More than ${MOST_SKIPPED} objects would be passed over`);
    let isEnded = false;
    try {
      while (objects.length <= pageSize && !isEnded) {
        const { value, done } = await listing.next();
        if (done === true) isEnded = true;
        else if (toSkip > 0) toSkip -= 1;
        else objects.push(value);
      }
    } catch (error) {
      await listing.return();
      throw error;
    }
    const next = objects[pageSize];
    if (next === undefined) return { objects, cookie: null };
    const id = randomUUID();
    const at = start + pageSize;
    await this.#hold(id, { listing, next, offset: at });
    return { objects: objects.slice(0, pageSize), cookie: `${id}.${at}.${scope}` };
  }

  async close(): Promise<void> {
    const all = [...this.#held.keys()];
    await Promise.all(all.map((id) => this.#end(id)));
  }

  #take(id: string, offset: number): Held | undefined {
    const held = this.#held.get(id);
    if (held === undefined || held.offset !== offset) return undefined;
    clearTimeout(held.timer);
    this.#held.delete(id);
    return held;
  }

  async #hold(id: string, held: Omit<Held, 'timer'>): Promise<void> {
    const timer = setTimeout(() => void this.#end(id).catch(() => {}), IDLE_MS).unref();
    this.#held.set(id, { ...held, timer });
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_HELD && oldest !== undefined) await this.#end(oldest);
  }

  async #end(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    clearTimeout(held.timer);
    this.#held.delete(id);
    await held.listing.return();
  }
}

function placeOf(cookie: string, scope: string): { readonly id: string; readonly offset: number } {
  const [id = '', offset = '', ofScope] = cookie.split('.');
  if (ofScope === scope && /^\d{1,9}$/.test(offset)) return { id, offset: Number(offset) };
  throw badCookie('The cookie is of another query');
}

function badCookie(message: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'PAGING_BAD_COOKIE',
    field: '_pagedResultsCookie',
    hint: 'Begin again without a cookie',
  });
}
