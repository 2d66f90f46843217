import type { UnitOfWork } from '#database/index.ts';
import { keptError, namesRead } from '#sync/index.ts';
import { apart, type Fence, LostPieceError, TURN_MS } from '#work/index.ts';
import { type LiveSyncPlatform, mappingsFrom, type Place, pathOf } from './livesync-platform.ts';
import { advanceToken, endRound, type RoundCounts, type TokenRow } from './token-repository.ts';

/** How many changes go into a unit of work, together with the token of what comes after them. */
export const MOST_AT_ONCE = 500;

/** Stands in place of the token that there is from now on. */
export const LATEST = 'latest';

/** A round in the hands of one job. */
export class RoundWork {
  readonly platform: LiveSyncPlatform;
  readonly place: Place;
  readonly row: TokenRow;
  readonly isSuspect: boolean;
  readonly until = performance.now() + TURN_MS;
  readonly #fence: Fence;
  readonly #skips: boolean;
  token: string | null;
  counts: RoundCounts;

  constructor(
    platform: LiveSyncPlatform,
    place: Place,
    row: TokenRow,
    fence: Fence,
    { isSuspect, skips }: { readonly isSuspect: boolean; readonly skips: boolean },
  ) {
    this.platform = platform;
    this.place = place;
    this.row = row;
    this.isSuspect = isSuspect;
    this.#fence = fence;
    this.#skips = skips;
    this.token = row.token;
    const { changes = 0, failed = 0 } = row.counts;
    this.counts = { changes, failed };
  }

  /** First names of what any mapping reads besides what is shown anyway. */
  get named(): ReadonlySet<string> {
    return new Set(mappingsFrom(this.platform, this.place).flatMap((mapping) => [...namesRead(mapping)]));
  }

  get isOverdue(): boolean {
    return performance.now() > this.until;
  }

  /** Where the changes are at now. */
  async latest(): Promise<string> {
    const { systems } = this.platform;
    const options = { named: this.named, mostAtOnce: MOST_AT_ONCE };
    for await (const { token } of systems.since(this.place, LATEST, options)) return token;
    throw new Error(`'${pathOf(this.place)}' tells nothing of what is to come`);
  }

  /** Where nothing is known of what was before it begins now, and says so. */
  tellFirst(): void {
    if (this.#skips) return;
    this.platform.observe({ kind: 'livesync.first', source: pathOf(this.place) });
  }

  get isStrict(): boolean {
    return this.platform.mappings.retryPolicyOf(pathOf(this.place)).isStrict;
  }

  /**
   * One unit of work with the token that it comes to.
   *
   * @returns the number of changes that failed
   */
  async step(
    work: (unitOfWork: UnitOfWork) => Promise<string>,
    counted: (unitOfWork: UnitOfWork) => RoundCounts = () => this.counts,
  ): Promise<void> {
    const stepped = async (unitOfWork: UnitOfWork) => {
      const db = await unitOfWork.db();
      const to = await work(unitOfWork);
      const counts = counted(unitOfWork);
      const { round } = this.row;
      const step = { ...this.place, round: String(round), from: this.token, to, counts };
      if (!(await advanceToken(db, step)))
        throw new LostPieceError(
          409,
          'The round is in other hands now; what was done about it was rolled back',
          {
            id: 'LIVESYNC_ROUND_LOST',
          },
        );
      return { to, counts };
    };
    const done = await apart(this.platform, stepped, this.#fence);
    this.token = done.to;
    this.counts = done.counts;
  }

  /** The same without the token: what is stored says by itself how far it is. */
  async fenced(work: (unitOfWork: UnitOfWork) => Promise<void>): Promise<void> {
    await apart(this.platform, work, this.#fence);
  }

  async end(error: unknown): Promise<void> {
    const { observe } = this.platform;
    const kept = error === null ? null : keptError(error);
    await this.fenced(async (unitOfWork) => {
      const key = { ...this.place, round: String(this.row.round) };
      if (!(await endRound(await unitOfWork.db(), key, kept))) return;
      const told = { ...this.counts, error: kept === null ? null : String(kept['message']) };
      const ms =
        this.row.began_at === null ? 0 : Math.max(0, this.platform.clock.now() - this.row.began_at.getTime());
      const tell = () => observe({ kind: 'livesync.ended', source: pathOf(this.place), ms, ...told });
      unitOfWork.afterCommit(`the round of '${pathOf(this.place)}' has ended`, tell);
    });
  }
}
