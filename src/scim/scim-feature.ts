import { isAbsolute } from 'node:path';
import { managedConfig, type Objection, scimConfig } from '#config/index.ts';
import type { Feature, Inspection, Platform } from '#platform/index.ts';
import { compileResourceTypes } from './compile-resource-type.ts';
import type { Fault } from './mapping-faults.ts';
import type { ScimPlatform } from './scim-platform.ts';
import { ScimResource } from './scim-resource.ts';

/** `/scim`: managed objects for clients of SCIM 2.0, as `scim.json` says. */
export function scimFeature(
  { config, database, router }: Platform,
  { bodyLimitBytes }: Pick<ScimPlatform, 'bodyLimitBytes'>,
): Feature {
  const read = () => compileResourceTypes(config.get(scimConfig), config.get(managedConfig)).types;
  let types = read();
  const renew = () => {
    types = read();
  };
  config.watchOnly(scimConfig, renew);
  config.watchOnly(managedConfig, renew);
  return {
    resources: { 'scim*': new ScimResource({ database, router, bodyLimitBytes, types: () => types }) },
  };
}

/** `scim.json` against the types that there are. */
export function checkScim({ config }: Inspection): void {
  config.addCheck(scimConfig, (value, _id, previous) => {
    const origin = config.originOf(scimConfig.id);
    // The shipped file is for the shipped types: of others it shows what they have of them, and keeps no node from
    // its start.
    const isOwn = previous !== undefined || origin.kind !== 'file' || !isAbsolute(origin.file);
    return isOwn ? compileResourceTypes(value, config.get(managedConfig)).faults.map(objectionOf) : [];
  });
}

/** A type or a property that is missing may come with another `managed.json`; until then there is less to see. */
function objectionOf({ field, message, hint, isMissing }: Fault): Objection {
  return {
    id: isMissing === true ? 'SCIM_NO_PROPERTY' : 'SCIM_BAD_MAPPING',
    field,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(isMissing === true ? { isWarning: true } : {}),
  };
}
