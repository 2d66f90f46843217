import { kept, Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { pruneDeadLetters, type StoringPlatform } from '#sync/index.ts';
import type { LiveSync, SystemChanges } from '#system/index.ts';
import { deadLetterResource } from './dead-letter-resource.ts';
import { type LiveSyncPlatform, ROUND_QUEUE } from './livesync-platform.ts';
import { liveSyncService } from './livesync-service.ts';
import { giveUpRound, runRound } from './run-round.ts';
import { stageResource } from './stage-resource.ts';
import { performRounds } from './start-round.ts';
import { takeFirstToken } from './take-first-token.ts';
import { countTokens } from './token-repository.ts';

/** Rounds that a node works at at a time. */
const CONCURRENCY = 2;
const HOUR_MS = 3_600_000;
/** Days for which dead letters are kept. */
const KEPT_DAYS = 90;
const PRUNED_AT_ONCE = 10_000;

export interface LiveSyncFeature extends Feature {
  readonly follow: LiveSync;
  /** Has what changes in a collection of another system followed from now on, where nobody has begun with that. */
  readonly begin: (context: WriteContext, collection: string) => Promise<void>;
}

/**
 * Live synchronisation, and the service by which schedules have it done.
 *
 * @param ground what mappings are followed with
 */
export function liveSyncFeature(
  { queue, database, observe }: Platform,
  ground: StoringPlatform,
  {
    systems,
    reconcile,
  }: { readonly systems: SystemChanges; readonly reconcile: LiveSyncPlatform['reconcile'] },
): LiveSyncFeature {
  const platform: LiveSyncPlatform = { ...ground, queue, systems, reconcile };
  const tokens = kept(() => countTokens(database.db));
  queue.work(
    ROUND_QUEUE,
    {
      run: (unitOfWork, job, fence) => runRound(platform, unitOfWork, job, fence),
      // Nobody would end the round.
      failed: async (unitOfWork, job, { error, retryAt }) => {
        if (retryAt === null) await giveUpRound(unitOfWork, job, error);
      },
    },
    {
      concurrency: CONCURRENCY,
      runsScripts: true,
      retries: 5,
      retryDelayMs: 1_000,
      losses: 10,
      limitMs: HOUR_MS,
    },
  );
  return {
    follow: (context, order) => performRounds(platform, context, order),
    begin: (_context, collection) => takeFirstToken(platform, collection),
    resources: {
      'repo/synchronisation/pooledSyncStage*': stageResource(platform),
      'repo/synchronisation/deadLetterQueue/{system}*': deadLetterResource(platform),
    },
    services: [liveSyncService(platform)],
    node: ({ isWorker }) => ({
      services: isWorker
        ? [
            new Ticker({
              name: 'old dead letters',
              intervalMs: HOUR_MS,
              async runOnce() {
                for (let gone = PRUNED_AT_ONCE; gone === PRUNED_AT_ONCE; ) {
                  gone = await pruneDeadLetters(database.db, KEPT_DAYS, PRUNED_AT_ONCE);
                }
              },
              observe,
            }),
          ]
        : [],
      gauges: [
        {
          name: 'svc_livesync_failing',
          help: 'Types of objects whose last round of live synchronisation ended early',
          ask: async () => (await tokens()).failing,
        },
        {
          name: 'svc_livesync_oldest_seconds',
          help: 'How long ago the changes of a type of objects were followed, of the one where that is longest',
          ask: async () => (await tokens()).oldest,
        },
        {
          name: 'svc_livesync_dead',
          help: 'Changes of other systems that were given up, and gaps in what they tell',
          ask: async () => (await tokens()).dead,
        },
      ],
    }),
  };
}
