import { checkService, type Inspection } from '#platform/index.ts';
import { checkInvokeContext, RECON_SERVICE } from './recon-service.ts';

/** Schedules that reconcile: what they say of it. */
export function checkRecons(inspection: Inspection): void {
  checkService(inspection, { name: RECON_SERVICE, check: checkInvokeContext, scripts: () => [] });
}
