import { checkService, type Inspection } from '#platform/index.ts';
import { placeAt } from '#script/index.ts';
import { parseScanDefinition, TASKSCANNER_SERVICE } from './scan-definition.ts';

/** Schedules that scan: their definition, and the script that runs for each object. */
export function checkScans(inspection: Inspection): void {
  checkService(inspection, {
    name: TASKSCANNER_SERVICE,
    check: (invokeContext) => void parseScanDefinition(invokeContext),
    scripts: (schedule) => placeAt(schedule, ['invokeContext', 'task', 'script']),
  });
}
