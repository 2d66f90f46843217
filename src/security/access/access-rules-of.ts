import { type ConfigStore, processConfig } from '#config/index.ts';
import { internalContext } from '#resource/index.ts';
import { type BindingsOf, REQUEST, requestView, type Scripts, type ScriptUse } from '#script/index.ts';
import { ACCESS_FILE, javascript } from './access-file.ts';
import { AccessRules } from './access-rules.ts';
import { CONDITION_NAMES } from './conditions.ts';
import { managedProperties } from './managed-properties.ts';

/** `script/access.js`, and the expressions of its rules. */
export const ACCESS_USE = {
  title: 'script/access.js, whose httpAccessConfig has the rules; the request is there for their conditions',
  bindings: { request: REQUEST },
  keepsVariables: true,
} as const satisfies ScriptUse;

/** The rules for external requests. Until they are read only administrators may do anything. */
export function accessRules(config: ConfigStore, scripts: () => Scripts): AccessRules {
  return new AccessRules({
    adminRole: config.properties.roles.admin,
    properties: (type) => managedProperties(config, type),
    processRules: () =>
      config.list(processConfig).find(({ alias }) => alias === 'access')?.value.workflowAccess,
    async decideByScript(context, request, condition, text) {
      const known = `var {${CONDITION_NAMES.join(', ')}, isQueryOneOf} = require('auth/customAuthz');`;
      const reference = javascript(`${text}\n;${known}\n(${condition});`);
      const bindings = { request: requestView(request) } satisfies BindingsOf<typeof ACCESS_USE>;
      const call = { reference, label: ACCESS_FILE, bindings };
      return (await scripts().evaluate(internalContext(context), call)).value === true;
    },
  });
}
