import type { Membership } from '#cluster/index.ts';
import { scheduleConfig, schedulerConfig } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Service, Solitude } from '#lifecycle/index.ts';
import { monthKeeper } from '#repo/index.ts';
import {
  contextSeals,
  endLife,
  FileSchedules,
  type Firing,
  type FiringResult,
  fireTrigger,
  jobStore,
  TriggerPoller,
  type Tuning,
} from '#scheduler/index.ts';
import type { ScriptThreads } from '#script/index.ts';
import type { Core } from './core.ts';
import { beatHealth } from './node-health.ts';
import type { NodePart } from './node-part.ts';
import { TOPIC } from './platform.ts';
import { daylightSaving, schedulerNumber, schedulerTuning, scheduleSecrets } from './scheduler-feature.ts';

const LEDGER_DAYS = 90;
const POLLER_SILENCE_MS = 10_000;

export interface SchedulerNodeOptions {
  readonly core: Core;
  readonly lookups: Database;
  readonly membership: Membership;
  readonly threads: ScriptThreads;
  readonly solitude: Solitude;
  readonly nodeName: string;
  /** Whether this node does the cluster's work; `scheduler.json` may still keep it from that. What it has in memory it always fires. */
  readonly isWorker: boolean;
}

/** What fires triggers on this node, and what keeps schedules and ledger in order. */
export function schedulerNode(options: SchedulerNodeOptions): NodePart {
  const { core, membership, nodeName, isWorker } = options;
  const { database, config, observe } = core;
  let tuning = schedulerTuning(config);
  const poller = buildPoller(options, () => ({ ...tuning, claims: isWorker && tuning.claims !== false }));
  config.watchOnly(schedulerConfig, () => {
    tuning = schedulerTuning(config);
    poller.wake();
  });
  const files = fileSchedules(core, nodeName);
  membership.onFenced(() => poller.fencedOut());
  // Whoever gave it up has taken what it had in memory.
  membership.onReturn(() => void files.activateAll());
  // What a lost node had claimed goes to others; what this node had claimed when it was given up is not its own.
  membership.onNodeLost(async (nodeId, epoch, loss) => {
    const { released, parked } = await endLife(database.db, { nodeId, epoch }, nodeName, {
      isSuspect: loss.kind === 'ended',
      alone: loss.alone,
    });
    for (const { jobId, attempts } of parked) observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    if (released > 0) core.notifier.notify(TOPIC.scheduler);
    return released;
  });
  return {
    services: [
      forgetting(core, membership, nodeName),
      files,
      monthKeeper({
        database,
        table: 'scheduler_firing',
        keepDays: () => schedulerNumber(config, 'svc.ledger.keepDays') ?? LEDGER_DAYS,
        observe,
      }),
      poller,
    ],
    onTopic: { [TOPIC.scheduler]: () => poller.wake() },
    gauges: [
      {
        name: 'svc_firings_running',
        help: 'Firings that run on this node',
        read: () => poller.active,
      },
    ],
    health: () => [beatHealth('triggerPoller', poller.lastBeatAt, POLLER_SILENCE_MS)],
  };
}

function buildPoller(options: SchedulerNodeOptions, tuning: () => Tuning): TriggerPoller {
  const { core, lookups, membership, threads, solitude, nodeName } = options;
  const { database, clock, services, observe } = core;
  return new TriggerPoller({
    store: jobStore(database.db, lookups.db),
    clock,
    nodeName,
    holder: () => ({ nodeId: membership.nodeId, epoch: membership.epoch }),
    tuning,
    observe,
    solitude,
    async fire(firing: Firing, signal: AbortSignal): Promise<FiringResult> {
      const service = services.find(firing.run.definition.invokeService);
      if (service?.runsScripts === false)
        return fireTrigger({ database, services, seals: contextSeals(core.crypto) }, firing, { signal });
      // Also what nobody here knows: the threads look for it among the project's own services.
      const work = { kind: 'firing', payload: firing, repeatable: false, signal };
      return (await threads.run(work)) as FiringResult;
    },
    async fireTogether(firings: readonly Firing[], signal: AbortSignal) {
      const work = { kind: 'firings', payload: firings, repeatable: false, signal };
      return (await threads.run(work)) as readonly (FiringResult | null)[];
    },
  });
}

/** What a node has in memory goes when it stops, after all that it fires has ended. */
function forgetting({ database }: Core, membership: Membership, nodeName: string): Service {
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

function fileSchedules(core: Core, nodeName: string): FileSchedules {
  const { database, config, clock, notifier, observe, overrides } = core;
  const schedules = new FileSchedules({
    database,
    files: () =>
      config
        .list(scheduleConfig)
        .map(({ alias, value }) => ({ id: alias, content: value as unknown as JsonObject })),
    dst: () => daylightSaving(config),
    now: () => clock.now(),
    nodeName,
    wake: () => notifier.notify(TOPIC.scheduler),
    observe,
    secrets: () => scheduleSecrets(config),
    seals: contextSeals(core.crypto),
    check: (...invoked) => core.services.check(...invoked),
    isCurrent: (db, alias) => overrides.isCurrent(db, `schedule/${alias}`),
  });
  config.watchOnly(scheduleConfig, async ({ id, current }) => {
    const alias = id.slice('schedule/'.length);
    if (current === undefined) await schedules.remove(alias);
    else await schedules.activate({ id: alias, content: current as unknown as JsonObject });
  });
  return schedules;
}
