import { REQUEST, RESOURCE_NAME, type ScriptUse, type ScriptUses } from '#script/index.ts';
import { HOOK_NAMES, type HookName, hookOf } from './hook.ts';
import { POLICY_CONDITION_USE, POLICY_USE } from './policy/policy-uses.ts';

const SEEN = { type: 'object', says: 'the object', isManaged: true } as const;

/** Hooks of properties: the value is the property's, or refused. */
export const PROPERTY_USE = {
  title: 'a hook of a property',
  bindings: {
    request: REQUEST,
    resourceName: RESOURCE_NAME,
    object: SEEN,
    property: { type: 'value', says: 'the value of the property, or null' },
    propertyName: { type: 'string', says: 'its name' },
  },
} as const satisfies ScriptUse;

/** An action of a type that is a script. */
export const ACTION_USE = {
  title: 'an action of a managed type',
  bindings: {
    request: REQUEST,
    resourcePath: RESOURCE_NAME,
    resourceName: RESOURCE_NAME,
    object: SEEN,
  },
} as const satisfies ScriptUse;

const KEPT_OBJECT = { ...SEEN, keeps: true } as const;

/** All scripts of managed types, by where they stand. */
export const MANAGED_USES: ScriptUses = {
  ...Object.fromEntries(HOOK_NAMES.map((name) => [name, useOfHook(name)])),
  propertyOnRetrieve: {
    title: 'onRetrieve of a property, whose value it answers',
    bindings: { ...PROPERTY_USE.bindings, object: KEPT_OBJECT },
  },
  propertyOnStore: {
    title: 'onStore of a property, whose value it answers',
    bindings: { ...PROPERTY_USE.bindings, object: KEPT_OBJECT },
  },
  propertyOnValidate: {
    title: 'onValidate of a property; what it throws refuses the value',
    bindings: PROPERTY_USE.bindings,
  },
  action: ACTION_USE,
  policy: POLICY_USE,
  policyCondition: POLICY_CONDITION_USE,
};

function useOfHook(name: HookName): ScriptUse {
  const { moment, sees, keeps } = hookOf(name);
  const seen = Object.entries(sees).map(([variable, binding]) => [
    variable,
    { ...binding, ...(keeps.includes(variable) ? { keeps: true as const } : {}) },
  ]);
  return {
    title: `${name} of a managed type: ${moment}`,
    bindings: { request: REQUEST, resourceName: RESOURCE_NAME, ...Object.fromEntries(seen) },
  };
}
