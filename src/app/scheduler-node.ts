import { randomUUID } from 'node:crypto';
import { type Membership, notePauses } from '#cluster/index.ts';
import { type ConfigStore, scheduleConfig, schedulerConfig } from '#config/index.ts';
import type { Database, DatabaseClock } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { monthKeeper } from '#repo/index.ts';
import {
  FileSchedules,
  type Firing,
  type FiringResult,
  fireTrigger,
  type JobStore,
  MemoryJobStore,
  type MemorySchedules,
  PauseFollower,
  persistentJobStore,
  recordFirings,
  releaseRuns,
  serveMemorySchedules,
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

/** The schedules in memory of this process, and the name by which its threads reach them. */
export interface ProcessMemory {
  readonly channel: string;
  readonly store: MemoryJobStore;
}

export interface SchedulerNodeOptions {
  readonly core: Core;
  readonly lookups: Database;
  readonly membership: Membership;
  readonly threads: ScriptThreads;
  readonly solitude: Solitude;
  readonly memory: ProcessMemory;
  readonly nodeName: string;
  /** Whether this node does the cluster's work; `scheduler.json` may still keep it from firing schedules. */
  readonly isWorker: boolean;
}

/** What fires triggers on this node, and what keeps schedules and ledger in order. */
export function schedulerNode(options: SchedulerNodeOptions): NodePart {
  const { core, membership, nodeName, isWorker } = options;
  const { database, config, observe } = core;
  const { store, channel } = options.memory;
  const memory = store.schedules;
  let tuning = schedulerTuning(config);
  const poller = buildPoller(options, persistentJobStore(database.db, options.lookups.db), () => tuning);
  // In memory there is one life only, which nobody fences out.
  const memoryPoller = buildPoller(options, store, () => ({ ...tuning, claims: true }));
  store.onChange(() => memoryPoller.wake());
  const pause = new PauseFollower({
    database,
    memory,
    tell: (pauses) => notePauses(database.db, membership.nodeId, pauses),
    observe,
  });
  config.watchOnly(schedulerConfig, () => {
    tuning = schedulerTuning(config);
    for (const each of [poller, memoryPoller]) each.wake();
  });
  membership.onFenced(() => poller.fencedOut());
  // What a lost node had claimed goes to others; what this node had claimed when it was given up is not its own.
  membership.onNodeLost(async (nodeId, epoch, loss) => {
    const { released, parked } = await releaseRuns(database.db, { nodeId, epoch }, nodeName, {
      isSuspect: loss.kind === 'ended',
      alone: loss.alone,
    });
    for (const { jobId, attempts } of parked) observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    if (released > 0) core.notifier.notify(TOPIC.scheduler);
    return released;
  });
  return {
    services: [
      serveMemorySchedules(channel, memory),
      fileSchedules(core, memory, nodeName),
      monthKeeper({
        database,
        table: 'scheduler_firing',
        keepDays: () => schedulerNumber(config, 'svc.ledger.keepDays') ?? LEDGER_DAYS,
        observe,
      }),
      pause,
      memoryPoller,
      ...(isWorker ? [poller] : []),
    ],
    onTopic: {
      [TOPIC.scheduler]: () => poller.wake(),
      [TOPIC.pause]: () => {
        pause.wake();
        poller.wake();
      },
    },
    gauges: [
      {
        name: 'svc_firings_running',
        help: 'Firings that run on this node',
        read: () => poller.active + memoryPoller.active,
      },
    ],
    health: () => (isWorker ? [beatHealth('triggerPoller', poller.lastBeatAt, POLLER_SILENCE_MS)] : []),
  };
}

export function openProcessMemory(parts: {
  clock: DatabaseClock;
  config: ConfigStore;
  database: Database;
  nodeName: string;
  observe: Observe;
}): ProcessMemory {
  const { clock, config, database, nodeName, observe } = parts;
  const store = new MemoryJobStore({
    nodeName,
    now: () => clock.now(),
    dst: () => daylightSaving(config),
    record: async (completions) => {
      await recordFirings(database.db, completions).catch((error: unknown) =>
        observe({ kind: 'loop.failed', loop: 'ledger of schedules in memory', error }),
      );
    },
  });
  return { channel: randomUUID(), store };
}

function buildPoller(options: SchedulerNodeOptions, store: JobStore, tuning: () => Tuning): TriggerPoller {
  const { core, membership, threads, solitude, nodeName } = options;
  const { database, clock, services, observe } = core;
  return new TriggerPoller({
    store,
    clock,
    nodeName,
    holder: () =>
      store.kind === 'memory'
        ? { nodeId: membership.nodeId, epoch: 0 }
        : { nodeId: membership.nodeId, epoch: membership.epoch },
    tuning,
    observe,
    solitude,
    async fire(firing: Firing, signal: AbortSignal): Promise<FiringResult> {
      const service = services.find(firing.run.definition.invokeService);
      if (service?.runsScripts === false) return fireTrigger({ database, services }, firing, signal);
      // Also what nobody here knows: the threads look for it among the project's own services.
      const work = { kind: 'firing', payload: firing, repeatable: false, signal };
      return (await threads.run(work)) as FiringResult;
    },
  });
}

function fileSchedules(core: Core, memory: MemorySchedules, nodeName: string) {
  const { database, config, clock, notifier, observe, overrides } = core;
  const schedules = new FileSchedules({
    database,
    memory,
    dst: () => daylightSaving(config),
    now: () => clock.now(),
    nodeName,
    wake: () => notifier.notify(TOPIC.scheduler),
    observe,
    secrets: () => scheduleSecrets(config),
    check: (...invoked) => core.services.check(...invoked),
    isCurrent: (db, alias) => overrides.isCurrent(db, `schedule/${alias}`),
  });
  config.watchOnly(scheduleConfig, async ({ id, current }) => {
    const alias = id.slice('schedule/'.length);
    if (current === undefined) await schedules.remove(alias);
    else await schedules.activate({ id: alias, content: current as unknown as JsonObject });
  });
  return {
    name: 'file schedules',
    start: () =>
      schedules.activateAll(
        config
          .list(scheduleConfig)
          .map(({ alias, value }) => ({ id: alias, content: value as unknown as JsonObject })),
      ),
    stop: async () => {},
  };
}
