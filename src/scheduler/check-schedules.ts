import { join } from 'node:path';
import { type Objection, scheduleConfig } from '#config/index.ts';
import { asJson } from '#json/index.ts';
import { checkService, type Inspection, isOff, shortServiceName } from '#platform/index.ts';
import { noScripts, placeAt } from '#script/index.ts';
import { parseSchedule } from './schedule/schedule.ts';
import { findMissingService, type OfferedServices } from './service/missing-service.ts';
import { scriptScheduledService } from './service/script-scheduled-service.ts';

const SCRIPT = scriptScheduledService(noScripts);

/** Schedules as they would be registered, and whether anybody can do what they invoke. */
export function checkSchedules(inspection: Inspection): void {
  const { config, projectLocation, services } = inspection;
  const serviceDirectory = join(projectLocation, 'service');
  config.addCheck(scheduleConfig, (value) => {
    parseSchedule(asJson(value), { persisted: false });
  });
  checkService(inspection, {
    name: SCRIPT.invokeService,
    check: (invokeContext) => SCRIPT.check?.(invokeContext),
    scripts: (schedule) => placeAt(schedule, ['invokeContext', 'script']),
  });
  config.addCheck(scheduleConfig, (value) => missingService(value, { services, serviceDirectory }));
}

function missingService(
  { enabled, invokeService }: { readonly enabled: unknown; readonly invokeService: string },
  offered: OfferedServices,
): readonly Objection[] {
  const missing = findMissingService(invokeService, offered);
  if (missing === undefined) return [];
  const { why, hint } = missing;
  const name = shortServiceName(invokeService);
  return [
    {
      id: 'SCHED_NO_SERVICE',
      field: '/invokeService',
      message: `it invokes '${name}', ${isOff({ enabled }) ? 'and is disabled' : 'and every run will fail'}: ${why}`,
      ...(hint === undefined ? {} : { hint }),
      isWarning: true,
    },
  ];
}
