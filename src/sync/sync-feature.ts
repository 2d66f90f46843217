import { type HealthPart, kept, Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform, Synchronizer } from '#platform/index.ts';
import { redeliverAttached } from './attached.ts';
import { linkResource } from './link-resource.ts';
import { Mappings } from './mappings.ts';
import { pruneOutbox, wakeOverdue } from './outbox.ts';
import { outboxJobs } from './outbox-jobs.ts';
import { countOutbox } from './outbox-repository.ts';
import { queueResource } from './queue-resource.ts';
import type { StoringPlatform } from './stage.ts';
import { mappingNamed, syncResource, syncWhyResource } from './sync-resource.ts';
import { SYNC_USES } from './sync-uses.ts';
import { synchronizerOf } from './synchronizer.ts';
import { SYNC_QUEUE } from './wake.ts';

const CONCURRENCY = 4;
const LOOK_INTERVAL_MS = 60_000;
/** What has been asked of other systems by units of work that were rolled back is to be put right soon. */
const ATTACHED_INTERVAL_MS = 5_000;
const PRUNE_INTERVAL_MS = 3_600_000;

export interface SyncFeature extends Feature {
  /** What managed objects tell of their changes. */
  readonly synchronizer: Synchronizer;
  /** What else goes by mappings stands on. */
  readonly ground: StoringPlatform;
}

/**
 * `/sync`, `/repo/link`, and what managed objects tell of their changes.
 *
 * @param record has the audit tell of a delivery
 */
export function syncFeature(
  platform: Platform,
  { record, requireAccount }: Pick<StoringPlatform, 'record' | 'requireAccount'>,
): SyncFeature {
  const { config, crypto, database, observe, router, scripts, scriptFiles } = platform;
  const mappings = new Mappings(config);
  const { clock, queue } = platform;
  const resources = router;
  const sync: StoringPlatform = {
    database,
    scripts,
    scriptFiles,
    crypto,
    observe,
    resources,
    router,
    mappings,
    record,
    requireAccount,
    clock,
    queue,
    aside: (work) => work(database.db),
  };
  const outbox = kept(() => countOutbox(database.db));
  // What ends its node each time is given up by itself, and not with the job that others need.
  queue.work(SYNC_QUEUE, outboxJobs(sync), { concurrency: CONCURRENCY, runsScripts: true, losses: 10 });
  return {
    synchronizer: synchronizerOf(sync),
    ground: sync,
    scriptUses: SYNC_USES,
    resources: {
      sync: syncResource(sync),
      'sync/why': syncWhyResource(sync),
      'sync/queue*': queueResource(sync, mappingNamed),
      'repo/link*': linkResource(sync),
    },
    node: ({ isWorker }) => {
      mappings.tellTo(observe);
      return {
        // A job that was rolled back with a part of its unit of work, or a mapping that is back, is seen to within a minute.
        services: isWorker
          ? [
              new Ticker({
                name: 'outbox',
                intervalMs: LOOK_INTERVAL_MS,
                runOnce: () => wakeOverdue(sync),
                observe,
              }),
              new Ticker({
                name: 'attached deliveries',
                intervalMs: ATTACHED_INTERVAL_MS,
                runOnce: () => redeliverAttached(sync),
                observe,
              }),
              new Ticker({
                name: 'dead deliveries',
                intervalMs: PRUNE_INTERVAL_MS,
                runOnce: () => pruneOutbox(sync),
                observe,
              }),
            ]
          : [],
        health: () => mappingHealth(mappings),
        gauges: [
          {
            name: 'svc_sync_waiting',
            help: 'Deliveries of synchronisation that are still to be done',
            ask: async () => (await outbox()).waiting,
          },
          {
            name: 'svc_sync_oldest_seconds',
            help: 'For how long the delivery of synchronisation has been due that has been for longest; 0 where none is',
            ask: async () => (await outbox()).oldest ?? 0,
          },
          {
            name: 'svc_sync_held',
            help: 'Deliveries of synchronisation that are held: they are parts of a delivery of all, and would take something away',
            ask: async () => (await outbox()).held,
          },
          {
            name: 'svc_sync_dead',
            help: 'Deliveries of synchronisation that were given up',
            ask: async () => (await outbox()).dead,
          },
        ],
      };
    },
  };
}

/** The node answers as well as any other: the configuration is to be mended. */
function mappingHealth({ leftOut }: Mappings): readonly HealthPart[] {
  if (leftOut.size === 0) return [];
  const told = [...leftOut].map(([name, why]) => `'${name}' is left out: ${why}`);
  return [{ name: 'mappings', ok: true, detail: told.join('; ') }];
}
