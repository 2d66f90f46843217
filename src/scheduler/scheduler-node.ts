import type { Membership } from '#cluster/index.ts';
import { scheduleConfig, schedulerConfig } from '#config/index.ts';
import type { Database, Db } from '#database/index.ts';
import { asJson } from '#json/index.ts';
import { beatHealth, type Service } from '#lifecycle/index.ts';
import { type NodeGround, type NodePart, type Platform, WAKE_UP } from '#platform/index.ts';
import { monthKeeper } from '#repo/index.ts';
import { workKind } from '#script/index.ts';
import { firingCountKeeper } from './count/firing-count-keeper.ts';
import { type FiringResult, fireTrigger } from './fire/fire-trigger.ts';
import type { Firing } from './fire/firing.ts';
import { TriggerPoller } from './run/trigger-poller.ts';
import type { Tuning } from './run/tuning.ts';
import { FileSchedules } from './schedule/file-schedules.ts';
import { contextSeals } from './schedule/sealed-context.ts';
import { wordKeeper } from './schedule/word-keeper.ts';
import { schedulerTuning, scheduleSecrets } from './scheduler-settings.ts';
import type { ScheduledServices } from './service/scheduled-service.ts';
import { jobStore } from './store/job-store.ts';
import { endLife } from './store/release-repository.ts';

const POLLER_SILENCE_MS = 10_000;
/** What is fired in a script thread: one, or some that share a transaction. */
export const FIRING = workKind<Firing, FiringResult>('firing');
export const FIRINGS = workKind<readonly Firing[], readonly (FiringResult | null)[]>('firings');

/** A node always fires what it has in memory; `scheduler.json` may keep even a worker from the cluster's work. */
export interface SchedulerParts {
  readonly platform: Platform;
  readonly services: ScheduledServices;
  /** Whether a configuration is in force as it is, and was not changed meanwhile. */
  readonly isCurrent: (db: Db, id: string) => Promise<boolean>;
}

/** What fires triggers on this node, and what keeps schedules and ledger in order. */
export function schedulerNode(parts: SchedulerParts, node: NodeGround): NodePart {
  const { database, config, notifier, observe } = parts.platform;
  const { name: nodeName, membership, isWorker } = node;
  let tuning = schedulerTuning(config);
  const poller = buildPoller(parts, node, () => ({ ...tuning, claims: isWorker && tuning.claims !== false }));
  config.watchOnly(schedulerConfig, () => {
    tuning = schedulerTuning(config);
    poller.wake();
  });
  const files = fileSchedules(parts, nodeName);
  membership.onFenced(() => poller.fencedOut());
  membership.onDrain((isDrained) => poller.drain(isDrained));
  // Whoever gave it up has taken what it had in memory.
  membership.onReturn(() => void files.activateAll());
  // What a lost node had claimed goes to others; what this node had claimed when it was given up is not its own.
  membership.onNodeLost(async (nodeId, epoch, loss) => {
    const { released, parked } = await endLife(database.db, { nodeId, epoch }, nodeName, {
      isSuspect: loss.kind === 'ended',
      alone: loss.alone,
    });
    for (const { jobId, attempts } of parked) observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    if (released > 0) notifier.notify(WAKE_UP.scheduler);
    return released;
  });
  return {
    services: [
      forgetting(database, membership, nodeName),
      files,
      monthKeeper({
        database,
        table: 'scheduler_firing',
        keepDays: () => config.get(schedulerConfig).ledgerDays,
        observe,
      }),
      firingCountKeeper({
        database,
        keepDays: () => config.get(schedulerConfig).countDays,
        observe,
      }),
      wordKeeper(database, observe),
      poller,
    ],
    onWakeUp: { [WAKE_UP.scheduler]: () => poller.wake() },
    gauges: [
      {
        name: 'svc_firings_running',
        help: 'Firings that run on this node',
        read: () => poller.active,
      },
      {
        name: 'svc_firing_slots',
        help: 'Firings of persisted schedules that this node may run at once',
        read: () => (isWorker && tuning.claims !== false ? tuning.threadCount : 0),
      },
    ],
    health: () => [beatHealth('triggerPoller', poller.lastBeatAt, POLLER_SILENCE_MS)],
  };
}

function buildPoller(
  { platform, services }: SchedulerParts,
  { name: nodeName, lookups, claims, membership, threads, quarantine }: NodeGround,
  tuning: () => Tuning,
): TriggerPoller {
  const { database, clock, crypto, observe } = platform;
  return new TriggerPoller({
    store: jobStore(database.db, { lookups: lookups.db, claims: claims.db }),
    clock,
    nodeName,
    holder: () => ({ nodeId: membership.nodeId, epoch: membership.epoch, life: membership.life }),
    tuning,
    observe,
    quarantine,
    async fire(firing: Firing, signal: AbortSignal): Promise<FiringResult> {
      const service = services.find(firing.run.definition.invokeService);
      if (service?.runsScripts === false)
        return fireTrigger({ database, services, seals: contextSeals(crypto) }, firing, { signal });
      // A service that nobody here knows is run there, too: the threads look for it among the project's own services.
      return threads.run({ kind: FIRING, payload: firing, repeatable: false, signal });
    },
    fireTogether: (firings: readonly Firing[], signal: AbortSignal) =>
      threads.run({ kind: FIRINGS, payload: firings, repeatable: false, signal }),
  });
}

/** What a node has in memory goes when it stops, after all that it fires has ended. */
function forgetting(database: Database, membership: Membership, nodeName: string): Service {
  return {
    name: 'schedules in memory',
    start: async () => {},
    async stop() {
      const { nodeId, epoch } = membership;
      // Without a database the others do it.
      await endLife(database.db, { nodeId, epoch }, nodeName, { isSuspect: false }).catch(() => undefined);
    },
  };
}

function fileSchedules({ platform, services, isCurrent }: SchedulerParts, nodeName: string): FileSchedules {
  const { database, config, clock, crypto, notifier, observe } = platform;
  const schedules = new FileSchedules({
    database,
    files: () =>
      config.list(scheduleConfig).map(({ alias, value }) => ({ id: alias, content: asJson(value) })),
    dst: () => config.get(schedulerConfig).dst,
    now: () => clock.now(),
    nodeName,
    wake: () => notifier.notify(WAKE_UP.scheduler),
    observe,
    secrets: () => scheduleSecrets(config),
    seals: contextSeals(crypto),
    check: (...invoked) => services.check(...invoked),
    isCurrent: (db, alias) => isCurrent(db, `schedule/${alias}`),
  });
  config.watchOnly(scheduleConfig, async ({ id, current }) => {
    const alias = id.slice('schedule/'.length);
    if (current === undefined) await schedules.remove(alias);
    else await schedules.activate({ id: alias, content: asJson(current) });
  });
  return schedules;
}
