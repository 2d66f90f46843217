import { bytesAt, type LogPosition } from '#database/index.ts';

/** About two minutes of heartbeats. */
const KEPT = 160;

interface Seen extends LogPosition {
  /** By `performance.now()`. */
  readonly at: number;
}

/** What another primary does not have of what was seen. */
export interface Lost {
  readonly bytes: number;
  /** Over how long it was written; at least, where it is more than is remembered. */
  readonly seconds: number;
}

/**
 * How far the log was written, as heartbeats were told. The answer to a heartbeat says that all before it is as safe as any
 * commit, so what is missing after a fail-over has been lost, and may have been told to somebody.
 */
export class SeenPositions {
  #seen: readonly Seen[] = [];

  get last(): LogPosition | undefined {
    return this.#seen.at(-1);
  }

  /** @returns false where it is on another timeline than the last one, and not noted: `lostAt` tells what that lacks */
  note(position: LogPosition, at: number): boolean {
    if (this.last !== undefined && this.last.timeline !== position.timeline) return false;
    this.#seen = [...this.#seen.slice(1 - KEPT), { ...position, at }];
    return true;
  }

  /** @param fork where the other timeline begins, or a little behind that; undefined where nothing is missing */
  lostAt(fork: string): Lost | undefined {
    const last = this.#seen.at(-1);
    if (last === undefined || bytesAt(last.lsn) <= bytesAt(fork)) return undefined;
    const kept = this.#seen.findLast(({ lsn }) => bytesAt(lsn) <= bytesAt(fork)) ?? this.#seen[0] ?? last;
    return {
      bytes: Number(bytesAt(last.lsn) - bytesAt(fork)),
      seconds: Math.round((last.at - kept.at) / 100) / 10,
    };
  }

  startAnew(position: LogPosition, at: number): void {
    this.#seen = [{ ...position, at }];
  }
}
