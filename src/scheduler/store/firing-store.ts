import type { DatabaseClock } from '#database/index.ts';
import { jittered } from '#lifecycle/index.ts';
import { type Ask, type Claim, claimKey, type Holder, type WorkStore } from '#work/index.ts';
import { type ClaimedFiring, claimedFiring, roomBeside } from '../run/claimed-firing.ts';
import { formatRunKey, type Run } from '../run/run.ts';
import type { Tuning } from '../run/tuning.ts';
import { type ClaimedRun, NOTHING, type Share } from './claim-repository.ts';
import type { JobStore } from './job-store.ts';
import { subjectOf } from './release-repository.ts';

/** What any node may fire, and what this one has in memory: kinds of their own, so that long runs of one keep none of the other waiting. */
export const SHARED = 'shared';
export const OWN = 'own';

const MAX_BATCH = 500;
/** When to look again after due firings had to wait for their service, unless one of its runs ends before. */
const SERVICE_RETRY_MS = 250;

export interface FiringStoreOptions {
  readonly store: JobStore;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly nodeName: string;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  readonly tuning: () => Tuning;
  /** All that was claimed and has not ended. */
  readonly held: () => readonly ClaimedFiring[];
}

/** Due firings as a store of work. */
export function firingStore(options: FiringStoreOptions): WorkStore<ClaimedFiring> {
  const { store, holder, nodeName } = options;
  const runsOf = (works: readonly ClaimedFiring[]) => works.map(({ run }) => run);
  return {
    claim: (asks) => claim(options, asks),
    async start(works) {
      // What was claimed in an earlier life is another's, and the statement finds nothing of it.
      const life = holder();
      const started = await store.start(life, runsOf(works));
      const byKey = new Map(started.map((run) => [keyOf(run), run]));
      return works.flatMap((work) => {
        const run = byKey.get(claimKey(work));
        return run === undefined ? [] : [{ ...work, run, holder: life, started: run }];
      });
    },
    async handBackAllBut(kept) {
      await store.handBack(holder(), { except: runsOf(kept) });
    },
    async handBack(works) {
      await store.handBack(holder(), { only: runsOf(works) });
    },
    async giveUp() {
      await store.endLife(holder(), nodeName);
    },
    releaseLost: () => store.sweep(holder(), nodeName),
    subjectOf: ({ run }) => subjectOf(run),
  };
}

async function claim(
  { store, clock, holder, tuning, held }: FiringStoreOptions,
  asks: readonly Ask[],
): Promise<ReadonlyMap<string, Claim<ClaimedFiring>>> {
  const { serviceThreads, maxBatch = MAX_BATCH } = tuning();
  const life = holder();
  const shareOf = (kind: string): Share => {
    const ask = asks.find((asked) => asked.kind === kind);
    if (ask === undefined) return NOTHING;
    const limit = Math.min(ask.most, maxBatch);
    return { limit, startLimit: Math.min(ask.startMost, limit), watermark: ask.since };
  };
  const [shared, own] = [shareOf(SHARED), shareOf(OWN)];
  const { runs, nextDueAt, ownNextDueAt } = await store.claim({
    ...shared,
    own,
    holder: life,
    lookAheadMs: Math.max(...asks.map(({ lookAheadMs }) => lookAheadMs)),
    ...(serviceThreads === undefined ? {} : { serviceRoom: roomBeside(serviceThreads, held()) }),
  });
  const dueInMs = (dueAt: number | null) => {
    const ms = dueAt === null ? undefined : dueAt - clock.now();
    // What is due already and was not claimed waits for its service.
    return serviceThreads !== undefined && ms !== undefined && ms <= 0 ? jittered(SERVICE_RETRY_MS) : ms;
  };
  const claimed = (isOwn: boolean, { limit }: Share, dueAt: number | null) => {
    const mine = runs.filter((run) => (run.own === true) === isOwn);
    return {
      works: mine.map((run) => toWork(run, life)),
      seenFrom: mine[0]?.dueAt,
      isFull: limit > 0 && mine.length >= limit,
      dueInMs: dueInMs(dueAt),
    };
  };
  return new Map([
    [SHARED, claimed(false, shared, nextDueAt)],
    [OWN, claimed(true, own, ownNextDueAt)],
  ]);
}

function toWork(
  { started, limitedService, dueAt, priority, ...run }: ClaimedRun,
  life: Holder,
): ClaimedFiring {
  return {
    ...claimedFiring(started ?? run, life),
    ...(limitedService === undefined ? {} : { limitedService }),
    ...(started === undefined ? {} : { isStarted: true, started }),
  };
}

function keyOf(run: Run): string {
  return claimKey({ id: formatRunKey(run), claim: run.attempt });
}
