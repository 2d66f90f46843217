import { type ConfigStore, scheduleConfig, schedulerConfig, secretReferences } from '#config/index.ts';
import type { DaylightSaving } from '#cron/index.ts';
import { getAt } from '#json/index.ts';
import { longServiceName } from '#platform/index.ts';
import type { Tuning } from './run/tuning.ts';
import type { SecretReference } from './schedule/secret-context.ts';

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
