import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  Kysely,
  type QueryExecutor,
  sql,
} from 'kysely';
import { ResourceError } from '#errors/index.ts';
import { oneRow } from '../one-row.ts';
import type { Tables } from '../tables.ts';
import { UNUSED } from './bounded-statements.ts';
import type { Database, Db } from './database.ts';
import { bytesAt, type LogPosition, timelineOf } from './log-position.ts';
import { isConnectionLost } from './sql-state.ts';

interface Note extends LogPosition {
  /** By `performance.now()`, when it was asked for: all that was answered before is behind it. */
  readonly at: number;
}

/** A replica that could not be reached is left alone for so long. */
const REST_MS = 5_000;
/** How far back positions are kept: lag is told that far. */
const KEPT_MS = 60_000;
const TOKEN = /^(\d{1,9})-([0-9A-F]{1,8}\/[0-9A-F]{1,8})$/i;

/** What was committed has been flushed, unless commits do not wait for that. */
const POSITION = `
  select ${timelineOf('lsn')} as timeline, lsn::text as lsn
  from (select case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
                    else pg_current_wal_flush_lsn() end) place (lsn)`;
/** Whether a standby has a position of the log. Positions are comparable only within the history of the primary. */
const HAS_IT = `
  select pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)
     and (select min_recovery_end_timeline from pg_control_recovery()) = $2 as has_it`;

/**
 * Reads by a standby. What a caller has written, or has been told to be written, it reads: its request brings the position in the log
 * that the answer to its write has named, and is answered by a standby that has come as far, and by the primary otherwise. Without such a position
 * nothing is shown that is older than `stalenessMs`. Whatever is wrong with the standby, the primary answers.
 */
export class ReplicaReads {
  readonly #primary: Database;
  readonly #replica: Database;
  readonly #stalenessMs: number;
  #notes: readonly Note[] = [];
  #restsUntil = 0;
  /** Statements that were answered, by where. */
  readonly counts = { replica: 0, primary: 0 };
  /** How far the standby was behind when that was asked last, in seconds; NaN when it could not be asked. */
  lagSeconds = Number.NaN;

  constructor(primary: Database, replica: Database, stalenessMs: number) {
    this.#primary = primary;
    this.#replica = replica;
    this.#stalenessMs = stalenessMs;
  }

  /** Where the primary is by now, as the answer to a write tells; all that is stored then is behind it. */
  async told(): Promise<string> {
    const { timeline, lsn } = await this.#position();
    return `${timeline}-${lsn}`;
  }

  /** Notes where the primary is, and how far the standby has come; to be done about each second. */
  async look(): Promise<void> {
    const at = performance.now();
    const position = await this.#position();
    const kept = this.#notes.filter((note) => note.timeline === position.timeline && at - note.at < KEPT_MS);
    this.#notes = [...kept, { ...position, at }];
    const replayed = await sql<{ lsn: string | null }>`select pg_last_wal_replay_lsn()::text as lsn`
      .execute(this.#replica.db)
      .then(
        ({ rows }) => oneRow(rows).lsn,
        () => null,
      );
    const known = this.#notes.findLast(({ lsn }) => replayed !== null && bytesAt(lsn) <= bytesAt(replayed));
    this.lagSeconds = known === undefined ? Number.NaN : (at - known.at) / 1_000;
  }

  /**
   * Where a request may read; undefined: from the primary.
   *
   * @param seen what the caller brings of an answer to a write of its own; undefined when it brings nothing
   */
  readerFor(seen: string | undefined): Db | undefined {
    const now = performance.now();
    if (now < this.#restsUntil) return undefined;
    const recent = this.#notes.find(({ at }) => now - at <= this.#stalenessMs);
    if (recent === undefined) return undefined;
    const needed = seen === undefined ? recent : later(recent, positionOf(seen));
    if (needed === undefined) return undefined;
    const [primary, replica] = [this.#primary.db.getExecutor(), this.#replica.db.getExecutor()];
    const wire = new ReplicaWire(primary, replica, needed, (where, error) => {
      this.counts[where] += 1;
      if (isConnectionLost(error)) this.#restsUntil = performance.now() + REST_MS;
    });
    return new Kysely<Tables>({ ...UNUSED, executor: primary.withConnectionProvider(wire) });
  }

  async #position(): Promise<LogPosition> {
    const { rows } = await this.#primary.db.executeQuery<LogPosition>(CompiledQuery.raw(POSITION));
    return oneRow(rows);
  }
}

class Behind extends Error {}

/** Sends each statement of a request to the standby, with the question whether it has come far enough; on one way. */
class ReplicaWire implements ConnectionProvider {
  readonly #primary: QueryExecutor;
  readonly #replica: QueryExecutor;
  readonly #needed: LogPosition;
  readonly #tell: (where: 'replica' | 'primary', error?: unknown) => void;
  /** Once the primary has answered, a standby would go back in time. */
  #isOver = false;

  constructor(
    primary: QueryExecutor,
    replica: QueryExecutor,
    needed: LogPosition,
    tell: (where: 'replica' | 'primary', error?: unknown) => void,
  ) {
    this.#primary = primary;
    this.#replica = replica;
    this.#needed = needed;
    this.#tell = tell;
  }

  async provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    if (!this.#isOver) {
      try {
        const answer = await this.#replica.provideConnection((connection) => this.#ask(connection, consumer));
        this.#tell('replica');
        return answer;
      } catch (error) {
        // A caller who asks for too much here would ask for too much of the primary, too.
        if (error instanceof ResourceError) throw error;
        this.#isOver = true;
        this.#tell('primary', error);
      }
    } else this.#tell('primary');
    return this.#primary.provideConnection(consumer);
  }

  async #ask<T>(
    connection: DatabaseConnection,
    consumer: (connection: DatabaseConnection) => Promise<T>,
  ): Promise<T> {
    const { lsn, timeline } = this.#needed;
    const checked = connection.executeQuery<{ has_it: boolean }>(CompiledQuery.raw(HAS_IT, [lsn, timeline]));
    const [check, answer] = await Promise.allSettled([checked, consumer(connection)]);
    if (check.status === 'rejected') throw check.reason;
    if (!oneRow(check.value.rows).has_it) throw new Behind('the standby has not come as far');
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }
}

/** @returns undefined for what is none */
function positionOf(token: string): LogPosition | undefined {
  const [, timeline, lsn] = TOKEN.exec(token) ?? [];
  return timeline === undefined || lsn === undefined ? undefined : { timeline: Number(timeline), lsn };
}

/** Positions on different timelines cannot be compared. */
function later(one: LogPosition, other: LogPosition | undefined): LogPosition | undefined {
  if (other === undefined || other.timeline !== one.timeline) return undefined;
  return bytesAt(other.lsn) > bytesAt(one.lsn) ? other : one;
}
