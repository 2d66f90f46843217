import { type ConfigStore, scheduleConfig, schedulerConfig, secretReferences } from '#config/index.ts';
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
      written: getAt(written, pointer) ?? null,
      value: getAt(value.invokeContext, pointer) ?? null,
    }));
  });
}

/** What `scheduler.json` says now of how schedules fire. */
export function schedulerTuning(config: ConfigStore): Tuning {
  const { serviceThreads, ...tuning } = config.get(schedulerConfig);
  const services = Object.entries(serviceThreads);
  if (services.length === 0) return tuning;
  return {
    ...tuning,
    serviceThreads: new Map(services.map(([name, count]) => [longServiceName(name), count])),
  };
}
