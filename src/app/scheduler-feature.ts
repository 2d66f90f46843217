import { join } from 'node:path';
import {
  type ConfigStore,
  clusterConfig,
  scheduleConfig,
  schedulerConfig,
  secretReferences,
} from '#config/index.ts';
import { getAt } from '#json/index.ts';
import {
  CustomServices,
  contextSeals,
  type DaylightSaving,
  firingResource,
  jobResource,
  longServiceName,
  provisionerScheduledService,
  ScheduledServices,
  type SecretReference,
  schedulerResource,
  scriptScheduledService,
  shortServiceName,
  syncScheduledService,
  type Tuning,
  triggerListResource,
  triggerResource,
} from '#scheduler/index.ts';
import { findMissingService } from './missing-service.ts';
import { type Platform, TOPIC } from './platform.ts';

export interface SchedulerOptions {
  /** Where the project's own scheduled services are; only where they may run. */
  readonly serviceDirectory?: string;
}

/** `/scheduler`, and the services that schedules can invoke. */
export function addScheduler(platform: Platform, options: SchedulerOptions): ScheduledServices {
  const { database, config, clock, crypto, notifier, router, observe, scripts } = platform;
  const services = new ScheduledServices();
  services.register(scriptScheduledService(scripts));
  services.register(syncScheduledService);
  services.register(provisionerScheduledService);
  if (options.serviceDirectory !== undefined) {
    services.addSource(new CustomServices(options.serviceDirectory, router, observe));
  }
  router.mount('scheduler*', schedulerResource());
  router.mount(
    'scheduler/job*',
    jobResource({
      database,
      clock,
      dst: () => daylightSaving(config),
      secrets: () => scheduleSecrets(config),
      seals: contextSeals(crypto),
      nodeName: config.get(clusterConfig).instanceId,
      maySeeScripts: (context) => router.maySeeScripts(context),
      services,
      check: (invokeService, invokeContext) => services.check(invokeService, invokeContext),
      doubts: (invokeService) =>
        services.find(invokeService) === undefined ? serviceDoubts(config, invokeService) : [],
      wake: () => notifier.notify(TOPIC.scheduler),
    }),
  );
  router.mount('scheduler/firing*', firingResource(database));
  router.mount('scheduler/trigger*', triggerResource(database));
  router.mount('scheduler/waitingTriggers', triggerListResource(database, 'waitingTriggers'));
  router.mount('scheduler/acquiredTriggers', triggerListResource(database, 'acquiredTriggers'));
  router.mount('repo/scheduler/triggers*', triggerResource(database));
  return services;
}

function serviceDoubts(config: ConfigStore, invokeService: string): readonly string[] {
  const missing = findMissingService(invokeService, join(config.locations.projectLocation, 'service'));
  if (missing === undefined) return [];
  const name = shortServiceName(invokeService);
  return [`No run will find the service '${name}': ${missing.why}. ${missing.hint ?? ''}`.trim()];
}

/** The references to secrets in the files of schedules. */
export function scheduleSecrets(config: ConfigStore): readonly SecretReference[] {
  return config.list(scheduleConfig).flatMap(({ alias, value }) => {
    const written = getAt(config.findRaw(`schedule/${alias}`), ['invokeContext']);
    if (written === undefined) return [];
    return secretReferences(written, config.properties.ofFiles).map((pointer) => ({
      schedule: alias,
      pointer,
      text: String(getAt(written, pointer)),
      value: getAt(value.invokeContext, pointer) ?? null,
    }));
  });
}

/** What `scheduler.json` says now of how schedules fire. */
export function schedulerTuning(config: ConfigStore): Tuning {
  const threshold = schedulerNumber(config, 'org.quartz.jobStore.misfireThreshold');
  const idleWaitMs = schedulerNumber(config, 'org.quartz.scheduler.idleWaitTime');
  const services = Object.entries(config.get(schedulerConfig).threadPool.services);
  const maxBatch = schedulerNumber(config, 'org.quartz.scheduler.batchTriggerAcquisitionMaxCount');
  return {
    threadCount:
      schedulerNumber(config, 'org.quartz.threadPool.threadCount') ??
      config.get(schedulerConfig).threadPool.threadCount,
    ...(services.length === 0
      ? {}
      : { serviceThreads: new Map(services.map(([name, count]) => [longServiceName(name), count])) }),
    dst: daylightSaving(config),
    claims: config.get(schedulerConfig).scheduler.executePersistentSchedules,
    ...(threshold === undefined ? {} : { misfireThresholdMs: threshold }),
    ...(idleWaitMs === undefined ? {} : { idleWaitMs }),
    ...(maxBatch === undefined ? {} : { maxBatch }),
  };
}

/** A number among the advanced properties; anything that is none counts as absent. */
export function schedulerNumber(config: ConfigStore, property: string): number | undefined {
  const number = Number(config.get(schedulerConfig).advancedProperties[property]);
  return number > 0 ? number : undefined;
}

export function daylightSaving(config: ConfigStore): DaylightSaving {
  return config.get(schedulerConfig).advancedProperties['svc.cron.dst'] === 'smooth' ? 'smooth' : 'quartz';
}
