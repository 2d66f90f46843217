import { InternalServerError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { FailedRequirement, PolicyInput } from './policy.ts';

/** Where policies come from that are scripts: files that call `addPolicy`. */
export interface PolicyScripts {
  readonly scripts: Scripts;
  /** Paths in the script sources. */
  readonly files: () => readonly string[];
  readonly readFile: (path: string) => Promise<string>;
}

export interface CustomPolicy {
  readonly policyRequirements: readonly string[];
  readonly failures: readonly FailedRequirement[];
  /** The text of its function, for rules that clients may run themselves. */
  readonly policyFunction: string | null;
}

// On one line before the files, so that the lines of the first of them keep their numbers.
const BEFORE =
  'var __policies = {}; function addPolicy(policy) { __policies[policy.policyId] = policy; return policy; } ';
const AFTER = `
;(function (call) {
  var policy = __policies[call.policyId];
  if (!policy) { return null; }
  var exec = typeof policy.policyExec === 'function' ? policy.policyExec : eval(policy.policyExec);
  var value = call.hasValue ? call.value : undefined;
  var skipped = call.describeOnly || (policy.validateOnlyIfPresent && value === undefined);
  return {
    policyRequirements: policy.policyRequirements || [],
    policyFunction: policy.clientValidation ? String(exec) : null,
    failures: skipped ? [] : exec.call({ failedPolicyRequirements: call.failed }, call.fullObject, value, call.params, call.propName) || [],
  };
})(__call);`;

/**
 * Runs a policy that a script file declares, as `policyExec(fullObject, value, params, propName)`.
 *
 * @throws InternalServerError for a policy that nobody declares
 */
export async function runCustomPolicy(
  policies: PolicyScripts,
  context: Context,
  policyId: string,
  input: Omit<PolicyInput, 'place'> | null,
  bindings: JsonObject,
): Promise<CustomPolicy> {
  const texts = await Promise.all(policies.files().map(policies.readFile));
  const call: JsonObject = {
    policyId,
    describeOnly: input === null,
    hasValue: input?.value !== undefined,
    value: input?.value ?? null,
    params: input?.params ?? {},
    propName: input?.property ?? '',
    fullObject: input?.object ?? {},
    failed: [...(input?.failed ?? [])],
  };
  const { value } = await policies.scripts.evaluate(context, {
    reference: {
      language: 'javascript',
      source: `${BEFORE}${texts.join('\n')}${AFTER}`,
      globals: {},
      transactional: true,
    },
    label: `policy ${policyId}`,
    bindings: { ...bindings, resources: [], __call: call },
  });
  if (!isObject(value)) throw unknownPolicy(policyId);
  return {
    policyRequirements: listOf(value['policyRequirements']).map(String),
    failures: listOf(value['failures']).filter(isRequirement),
    policyFunction: typeof value['policyFunction'] === 'string' ? value['policyFunction'] : null,
  };
}

function unknownPolicy(policyId: string): InternalServerError {
  return new InternalServerError(`There is no policy '${policyId}'`, {
    id: 'POLICY_UNKNOWN',
    hint: "Declare it with addPolicy in a file of 'additionalFiles' in policy.json",
  });
}

function isRequirement(value: JsonValue): value is FailedRequirement {
  return isObject(value) && typeof value['policyRequirement'] === 'string';
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
