import { REQUEST, RESOURCE_NAME, type ScriptUse } from '#script/index.ts';

const ABOUT = { request: REQUEST, resourceName: RESOURCE_NAME } as const;

/** A file of policies. */
export const POLICY_USE = {
  title: 'a file of additionalFiles in policy.json, which calls addPolicy',
  bindings: {
    ...ABOUT,
    addPolicy: {
      type: 'value',
      says: 'a function that takes `{policyId, policyExec, policyRequirements, validateOnlyIfPresent}`; policyExec is called with the object, the value, the params of the policy, and the name of the property',
    },
    resources: { type: 'array', says: 'empty: there are no resources with policies of their own' },
  },
  takesOthers: true,
  keepsVariables: true,
} as const satisfies ScriptUse;

/** Whether the policies of a condition are in force. */
export const POLICY_CONDITION_USE = {
  title: 'the condition of conditionalPolicies; what is true puts them in force',
  bindings: {
    ...ABOUT,
    fullObject: { type: 'object', says: 'the object as it would be', isManaged: true },
    propName: { type: 'string', says: 'the name of the property' },
  },
} as const satisfies ScriptUse;
