import { type RawBuilder, sql } from 'kysely';
import { isTaken } from '#database/index.ts';

/** What an insert does where the row is there already. */
export type OnConflict = RawBuilder<unknown>;

export const DO_NOTHING: OnConflict = sql`on conflict do nothing`;
const FAIL: OnConflict = sql``;
/** After a conflict others may follow. */
const CAREFUL_MS = 10_000;

/**
 * Most rows are never there already, and to be ready for that costs a tenth of a firing: each index is looked through
 * twice. So a statement fails at the first such row, is made again ready for it, and stays so for a while.
 */
export class RareConflict {
  #carefulUntil = 0;

  async meet<T>(act: (onConflict: OnConflict) => Promise<T>): Promise<T> {
    if (performance.now() >= this.#carefulUntil) {
      try {
        return await act(FAIL);
      } catch (error) {
        if (!isTaken(error)) throw error;
        this.#carefulUntil = performance.now() + CAREFUL_MS;
      }
    }
    return act(DO_NOTHING);
  }
}
