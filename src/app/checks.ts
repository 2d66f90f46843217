import { checkInfo } from '#administration/index.ts';
import type { ConfigStore } from '#config/index.ts';
import { checkEndpoints } from '#endpoint/index.ts';
import { checkLiveSync } from '#livesync/index.ts';
import { checkManaged } from '#managed/index.ts';
import type { Inspection } from '#platform/index.ts';
import { checkRecons } from '#recon/index.ts';
import { checkSchedules } from '#scheduler/index.ts';
import { checkScim } from '#scim/index.ts';
import { checkScripts, ScriptInspector } from '#script/index.ts';
import { checkAuthentication } from '#security/index.ts';
import { checkMappings } from '#sync/index.ts';
import { checkSystems } from '#system/index.ts';
import { checkScans } from '#taskscanner/index.ts';
import { checkWorkflow } from '#workflow/index.ts';

/**
 * Tells the configuration what each feature makes of its files. The same is asked at the start, of each change, and by
 * `svc config-check`, so that they cannot disagree.
 */
export function addChecks(config: ConfigStore, projectLocation: string): void {
  const inspection: Inspection = {
    config,
    projectLocation,
    scripts: new ScriptInspector(config, projectLocation),
    services: [],
  };
  checkScripts(inspection);
  checkAuthentication(inspection);
  checkManaged(inspection);
  checkEndpoints(inspection);
  checkSchedules(inspection);
  checkScans(inspection);
  checkSystems(inspection);
  checkMappings(inspection);
  checkRecons(inspection);
  checkLiveSync(inspection);
  checkWorkflow(inspection);
  checkInfo(inspection);
  checkScim(inspection);
}
