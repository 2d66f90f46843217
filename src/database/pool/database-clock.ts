import { sql } from 'kysely';
import { oneRow } from '../one-row.ts';
import type { Database, Db, Greeting } from './database.ts';

const PROBES = 8;
/** So many questions are enough to tell that the measurement before still holds. */
const ENOUGH = 3;

/**
 * The database's clock, as seen from here: the only clock the cluster agrees on. Between measurements it runs
 * on this process's monotonic clock, so a jump of the machine's wall clock does not move it. Another server, as after a
 * fail-over, has another clock, which is taken from the first session that it opens: before a statement reaches it.
 */
export class DatabaseClock {
  readonly #db: Db;
  /** What to add to `performance.now()`; a guess before the first measurement. */
  #offset = Date.now() - performance.now();
  #isMeasured = false;
  /** Since when the server has run whose clock it is. */
  #serverSince: string | undefined;
  /** How far the machine's wall clock is from the database's, in ms, at the last measurement. */
  skewMs = 0;

  constructor(database: Pick<Database, 'db' | 'onGreeting'>) {
    this.#db = database.db;
    this.hear(database);
  }

  /** Takes note of the sessions of another pool, too: they may be the first ones with another server. */
  hear({ onGreeting }: Pick<Database, 'onGreeting'>): void {
    onGreeting((greeting) => this.#heed(greeting));
  }

  /** Epoch ms by the database's clock. */
  now(): number {
    return performance.now() + this.#offset;
  }

  #heed({ serverSince, ms, heardAt }: Greeting): void {
    if (serverSince === this.#serverSince) return;
    this.#serverSince = serverSince;
    this.#offset = ms - heardAt;
    this.#isMeasured = true;
  }

  /**
   * Asks the database a few times. It was asked after the question had left and before the answer came, so each answer
   * gives two bounds. What they allow of the measurement before is kept: a slow network makes nothing worse, and where the first
   * few allow it no more are asked. Otherwise the earliest time is taken, for nothing may happen before its time by the database's clock.
   */
  async measure(probes = PROBES): Promise<void> {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isRight = () => this.#isMeasured && low <= this.#offset && this.#offset <= high;
    for (let probe = 0; probe < probes && !(probe >= ENOUGH && isRight()); probe++) {
      const sentAt = performance.now();
      const { rows } = await sql<{ ms: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(this.#db);
      const [least, most] = [oneRow(rows).ms - performance.now(), oneRow(rows).ms - sentAt];
      // Answers that contradict each other: the database's clock was set in between.
      const isSetAnew = least > high || most < low;
      [low, high] = isSetAnew ? [least, most] : [Math.max(low, least), Math.min(high, most)];
    }
    if (!isRight()) this.#offset = low;
    this.#isMeasured = true;
    this.skewMs = Date.now() - this.now();
  }
}
