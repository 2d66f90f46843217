import { InternalServerError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { FailedRequirement, PolicyInput } from './policy.ts';

/** Where policies come from that are scripts: files that call `addPolicy`, in JavaScript or (`.groovy`) in Groovy. */
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

/** The code that is put behind a Groovy file, whose imports have to stand first; methods are there from the beginning. */
const BEHIND_GROOVY = `
def addPolicy(Map policy) { __policies[policy.policyId] = policy; return policy }
def __policy = __policies[__call.policyId]
if (__policy == null) return null
def __exec = __policy.policyExec instanceof Closure ? __policy.policyExec : this.&"\${__policy.policyExec}"
def __failures = []
if (!__call.describeOnly && (__call.hasValue || !__policy.validateOnlyIfPresent)) {
  def __given = [__call.fullObject, __call.value, __call.params, __call.propName]
  __failures = __exec(*__given.take(__exec.maximumNumberOfParameters)) ?: []
}
return [policyRequirements: __policy.policyRequirements ?: [], policyFunction: null, failures: __failures]`;

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
  for (const program of await programsOf(policies)) {
    const { value } = await policies.scripts.evaluate(context, {
      reference: { ...program, globals: {}, transactional: true },
      label: program.label ?? `policy ${policyId}`,
      bindings: {
        ...bindings,
        resources: [],
        __call: call,
        ...(program.language === 'groovy' ? { __policies: {}, failedPolicyRequirements: call.failed } : {}),
      },
    });
    if (!isObject(value)) continue;
    return {
      policyRequirements: listOf(value['policyRequirements']).map(String),
      failures: listOf(value['failures']).filter(isRequirement),
      policyFunction: typeof value['policyFunction'] === 'string' ? value['policyFunction'] : null,
    };
  }
  throw unknownPolicy(policyId);
}

interface PolicyProgram {
  readonly language: 'javascript' | 'groovy';
  readonly source: string;
  readonly label?: string;
}

/** All files in JavaScript as one script, so that they share their functions; each one in Groovy for itself. */
async function programsOf({ files, readFile }: PolicyScripts): Promise<readonly PolicyProgram[]> {
  const paths = files();
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path) })));
  const isGroovy = ({ path }: { path: string }) => path.endsWith('.groovy');
  const javascript = texts.filter((each) => !isGroovy(each)).map(({ text }) => text);
  return [
    ...(javascript.length === 0
      ? []
      : [{ language: 'javascript', source: `${BEFORE}${javascript.join('\n')}${AFTER}` } as const]),
    ...texts
      .filter(isGroovy)
      .map(
        ({ path, text }) => ({ language: 'groovy', source: `${text}${BEHIND_GROOVY}`, label: path }) as const,
      ),
  ];
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
