import { Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import type { WriteContext } from '#resource/index.ts';
import type { Mapping, StoringPlatform } from '#sync/index.ts';
import { failRun } from './end-run.ts';
import { pruneEntries } from './entry-repository.ts';
import { entryResource, reportResource } from './entry-resource.ts';
import { leadRun } from './lead-run.ts';
import { reconHealth } from './recon-health.ts';
import { readOrder } from './recon-order.ts';
import { CHUNK_QUEUE, LANES_OF_NODE, type ReconPlatform, STEP_QUEUE } from './recon-platform.ts';
import { reconResource } from './recon-resource.ts';
import { reconService } from './recon-service.ts';
import { startRecon } from './start-recon.ts';
import { workChunk } from './work-chunk.ts';

const KEPT_RUNS = 1_000;
/** Days for which entries of runs that have ended are kept. */
const KEPT_DAYS = 30;
const PRUNED_AT_ONCE = 10_000;
const PRUNE_INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface ReconFeature extends Feature {
  /** Has both sides of a mapping compared, as the unit of work of the context says so. @throws ConflictError `RECON_UNDER_WAY` */
  readonly reconcile: (context: WriteContext, mapping: Mapping) => Promise<string>;
}

/**
 * `/recon`, and the service that schedules invoke.
 *
 * @param ground what mappings are followed with
 * @param record has the audit tell of a reconciliation
 */
export function reconFeature(
  { config, database, observe, queue, router }: Platform,
  ground: StoringPlatform,
  record: ReconPlatform['recordRecon'],
  { beforeListing, findsByIds }: Pick<ReconPlatform, 'beforeListing' | 'findsByIds'>,
): ReconFeature {
  const platform: ReconPlatform = {
    ...ground,
    queue,
    router,
    recordRecon: record,
    beforeListing,
    findsByIds,
    keepRuns: () => {
      const kept = Number(config.properties.get('svc.recon.maxcompletedruns'));
      return Number.isInteger(kept) && kept > 0 ? kept : KEPT_RUNS;
    },
  };
  queue.work(
    STEP_QUEUE,
    {
      run: (unitOfWork, { data }) => leadRun(platform, unitOfWork, String(data['run'])),
      failed: async (unitOfWork, { data }, { error, retryAt }) => {
        if (retryAt === null) await failRun(platform, unitOfWork, String(data['run']), error);
      },
    },
    { concurrency: 2, runsScripts: true, retries: 5, retryDelayMs: 1_000, losses: 10, limitMs: DAY_MS },
  );
  queue.work(
    CHUNK_QUEUE,
    {
      run: (unitOfWork, job, fence) => workChunk(platform, unitOfWork, job, fence),
      // Nobody would go on with its chunk.
      failed: async (unitOfWork, { data }, { error, retryAt }) => {
        if (retryAt === null) await failRun(platform, unitOfWork, String(data['run']), error);
      },
    },
    {
      concurrency: LANES_OF_NODE,
      runsScripts: true,
      retries: 5,
      retryDelayMs: 1_000,
      losses: 10,
      limitMs: DAY_MS,
    },
  );
  return {
    reconcile: (context, mapping) =>
      startRecon(platform, context.unitOfWork, context, mapping, readOrder(mapping, 'recon', {}, {})),
    resources: {
      'recon*': reconResource(platform),
      'recon/{run}/entry*': entryResource(platform),
      'recon/{run}/report': reportResource(platform),
      'health/recon': reconHealth(platform),
    },
    services: [reconService(platform)],
    node: ({ isWorker }) => ({
      services: isWorker
        ? [
            new Ticker({
              name: 'old reconciliations',
              intervalMs: PRUNE_INTERVAL_MS,
              async runOnce() {
                for (let gone = PRUNED_AT_ONCE; gone === PRUNED_AT_ONCE; ) {
                  gone = await pruneEntries(database.db, KEPT_DAYS, PRUNED_AT_ONCE);
                }
              },
              observe,
            }),
          ]
        : [],
    }),
  };
}
