import { isObject, type JsonObject } from '#json/index.ts';
import { FIELD_POLICIES } from './field-policies.ts';
import { PASSWORD_POLICIES } from './password-policies.ts';
import { MET, type Policy, type PolicyInput, unmet } from './policy.ts';
import { TEXT_POLICIES } from './text-policies.ts';
import { UNIQUE_POLICIES } from './unique-policies.ts';
import { VALUE_POLICIES } from './value-policies.ts';

/** An array of objects, of whose properties the parameters say which policies they meet. */
const validArrayItems: Policy = {
  id: 'valid-array-items',
  requirements: ['VALID_ARRAY_ITEMS'],
  params: {
    properties: {
      type: 'array',
      items: { type: 'object' },
      required: true,
      description: 'Properties of the items, each with its name and policies',
    },
  },
  skipsAbsent: true,
  async check(input) {
    const { value = null, params } = input;
    if (value === null) return MET;
    if (!Array.isArray(value)) return unmet('VALID_ARRAY_ITEMS');
    for (const item of value) {
      for (const declared of objectsIn(params['properties'])) {
        if (!(await isMet(input, item, declared))) return unmet('VALID_ARRAY_ITEMS');
      }
    }
    return MET;
  },
};

async function isMet(input: PolicyInput, item: unknown, { name, policies }: JsonObject): Promise<boolean> {
  if (!isObject(item)) return false;
  const value = item[String(name)];
  for (const { policyId, params } of objectsIn(policies)) {
    const policy = CATALOGUE.get(String(policyId));
    if (policy === undefined || (policy.skipsAbsent && value === undefined)) continue;
    const asked = { ...input, value, object: item, params: isObject(params) ? params : {}, failed: [] };
    if ((await policy.check(asked)).length > 0) return false;
  }
  return true;
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
}

/** The policies that need no script, by id. */
export const CATALOGUE: ReadonlyMap<string, Policy> = new Map(
  [
    ...VALUE_POLICIES,
    ...TEXT_POLICIES,
    ...PASSWORD_POLICIES,
    ...UNIQUE_POLICIES,
    ...FIELD_POLICIES,
    validArrayItems,
  ].map((policy) => [policy.id, policy]),
);
