import { bytesAt, type Db, isUntold, type LogPosition } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { noteIncident } from './incident-repository.ts';
import { beat, type Life } from './node-repository.ts';
import { findForkBound, noteTimeline } from './place-repository.ts';
import { SeenPositions } from './seen-positions.ts';

/** Says that a node lives, and tells when a fail-over has lost what its heartbeats have seen to be written. */
export class Heartbeat {
  readonly #db: Db;
  readonly #nodeName: string;
  readonly #observe: Observe;
  readonly #seen = new SeenPositions();
  /** Whether the database tells how far its log is written. */
  #isTold = true;

  constructor(db: Db, nodeName: string, observe: Observe) {
    this.#db = db;
    this.#nodeName = nodeName;
    this.#observe = observe;
  }

  /** How far the log was written at the last one; undefined where that is not told. */
  get seen(): LogPosition | undefined {
    return this.#seen.last;
  }

  /** @returns false when the node is no longer what it thinks it is: another one has taken over from it, or a fail-over has lost it */
  async beat(nodeId: number, life: Life): Promise<boolean> {
    const beaten = await this.#beat(nodeId, life);
    if (beaten === undefined) return false;
    const { timeline, lsn } = beaten;
    if (timeline !== undefined && lsn !== undefined) await this.#note({ timeline, lsn });
    return true;
  }

  async #beat(nodeId: number, life: Life): ReturnType<typeof beat> {
    try {
      return await beat(this.#db, nodeId, life, this.#isTold);
    } catch (error) {
      if (!isUntold(error)) throw error;
      this.#isTold = false;
      return beat(this.#db, nodeId, life, false);
    }
  }

  async #note(position: LogPosition): Promise<void> {
    if (this.#seen.note(position, performance.now())) return;
    const { timeline, lsn } = position;
    const bound = await findForkBound(this.#db, timeline);
    const lost = this.#seen.lostAt(bound !== undefined && bytesAt(bound) < bytesAt(lsn) ? bound : lsn);
    await noteTimeline(this.#db, timeline);
    if (lost !== undefined) await noteIncident(this.#db, 'rolledBack', this.#nodeName, { ...lost, timeline });
    this.#seen.startAnew(position, performance.now());
    if (lost !== undefined) this.#observe({ kind: 'database.rolledBack', ...lost });
  }
}
