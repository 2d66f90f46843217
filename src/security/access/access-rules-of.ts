import { type ConfigStore, processConfig } from '#config/index.ts';
import { internalContext } from '#resource/index.ts';
import { requestView, type Scripts } from '#script/index.ts';
import { ACCESS_FILE, javascript } from './access-file.ts';
import { AccessRules } from './access-rules.ts';
import { CONDITION_NAMES } from './conditions.ts';
import { managedProperties } from './managed-properties.ts';

/** The rules for external requests. Until they are read only administrators may do anything. */
export function accessRules(config: ConfigStore, scripts: () => Scripts): AccessRules {
  return new AccessRules({
    properties: (type) => managedProperties(config, type),
    processRules: () =>
      config.list(processConfig).find(({ alias }) => alias === 'access')?.value.workflowAccess,
    async decideByScript(context, request, condition, text) {
      const known = `var {${CONDITION_NAMES.join(', ')}, isQueryOneOf} = require('auth/customAuthz');`;
      const reference = javascript(`${text}\n;${known}\n(${condition});`);
      const call = { reference, label: ACCESS_FILE, bindings: { request: requestView(request) } };
      return (await scripts().evaluate(internalContext(context), call)).value === true;
    },
  });
}
