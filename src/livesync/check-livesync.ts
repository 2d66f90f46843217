import { checkService, type Inspection } from '#platform/index.ts';
import { checkInvokeContext, LIVESYNC_SERVICE } from './livesync-service.ts';

/** Schedules that have changes followed: what they say of it. */
export function checkLiveSync(inspection: Inspection): void {
  checkService(inspection, { name: LIVESYNC_SERVICE, check: checkInvokeContext, scripts: () => [] });
}
