import { sql } from 'kysely';
import type { Db } from './database.ts';

const PROBES = 8;

/**
 * The database's clock, as seen from here: the only clock the cluster agrees on. Between measurements it runs
 * on this process's monotonic clock, so a jump of the machine's wall clock does not move it.
 */
export class DatabaseClock {
  readonly #db: Db;
  /** What to add to `performance.now()`. */
  #offset = Date.now() - performance.now();
  /** How far the machine's wall clock is from the database's, in ms, at the last measurement. */
  skewMs = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Epoch ms by the database's clock. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Asks the database a few times and trusts the quickest answer: its error is at most half its round trip. */
  async measure(probes = PROBES): Promise<void> {
    let best = Number.POSITIVE_INFINITY;
    for (let probe = 0; probe < probes; probe++) {
      const sentAt = performance.now();
      const { rows } = await sql<{ ms: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(this.#db);
      const roundTrip = performance.now() - sentAt;
      if (roundTrip >= best) continue;
      best = roundTrip;
      this.#offset = rows[0]!.ms - (sentAt + roundTrip / 2);
    }
    this.skewMs = Date.now() - this.now();
  }
}
