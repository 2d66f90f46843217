import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import { CATALOGUE } from './catalogue.ts';
import { type PolicyScripts, runCustomPolicy } from './custom-policies.ts';
import type { FailedRequirement, PolicyInput, PolicyPlace } from './policy.ts';
import { type PropertyRules, propertyName, type Rule } from './property-rules.ts';

export interface Validation {
  readonly context: Context;
  readonly scripts: PolicyScripts;
  readonly rules: readonly PropertyRules[];
  readonly place: PolicyPlace;
  readonly object: JsonObject;
  /** Names of the top-level properties to look at; default: all. */
  readonly only?: ReadonlySet<string>;
  /** Variables for policies that are scripts: `request`, `resourceName`. */
  readonly bindings: JsonObject;
  readonly isHashed: (value: JsonValue) => boolean;
}

export type ValidationResult = JsonObject & {
  readonly result: boolean;
  readonly failedPolicyRequirements: JsonObject[];
};

/** Asks every rule about every property; one entry per failing rule, in the order of the rules. */
export async function validateObject(validation: Validation): Promise<ValidationResult> {
  const failedPolicyRequirements: JsonObject[] = [];
  for (const property of validation.rules) {
    if (validation.only?.has(firstOf(property.path)) === false) continue;
    for (const { name, value } of valuesAt(validation.object, property.path)) {
      const failed = await failuresOf(validation, property, name, value);
      for (const requirements of failed) {
        failedPolicyRequirements.push({ policyRequirements: requirements, property: name });
      }
    }
  }
  return { result: failedPolicyRequirements.length === 0, failedPolicyRequirements };
}

async function failuresOf(
  validation: Validation,
  property: PropertyRules,
  name: string,
  value: JsonValue | undefined,
): Promise<FailedRequirement[][]> {
  const failed: string[] = [];
  const failures: FailedRequirement[][] = [];
  // All that can be judged of a hash is whether it is there.
  const isOpaque = value !== undefined && validation.isHashed(value);
  const inForce = await rulesInForce(validation, property);
  const rules = isOpaque ? inForce.filter(({ policyId }) => policyId === 'required') : inForce;
  const inputOf = ({ params }: Rule): PolicyInput => ({
    value,
    params,
    property: name,
    object: validation.object,
    failed,
    place: validation.place,
    context: validation.context,
  });
  // On one way to the database, where no script stands between them.
  const ahead = new Map<Rule, ReturnType<typeof ask>>();
  if (rules.every(({ policyId }) => CATALOGUE.has(policyId))) {
    for (const rule of rules)
      if (CATALOGUE.get(rule.policyId)?.asksDatabase)
        ahead.set(rule, ask(validation, rule.policyId, inputOf(rule)));
    await Promise.all(ahead.values());
  }
  for (const rule of rules) {
    const unmet = await (ahead.get(rule) ?? ask(validation, rule.policyId, inputOf(rule)));
    if (unmet.length === 0) continue;
    failures.push([...unmet]);
    failed.push(...unmet.map(({ policyRequirement }) => policyRequirement));
  }
  return failures;
}

async function ask(
  validation: Validation,
  policyId: string,
  input: PolicyInput,
): Promise<readonly FailedRequirement[]> {
  const policy = CATALOGUE.get(policyId);
  if (policy !== undefined) {
    return policy.skipsAbsent && input.value === undefined ? [] : policy.check(input);
  }
  const { scripts, context, bindings } = validation;
  return (await runCustomPolicy(scripts, context, policyId, input, bindings)).failures;
}

/** The rules of all conditions that hold, else the fallback. */
async function rulesInForce(validation: Validation, property: PropertyRules): Promise<readonly Rule[]> {
  const { rules, conditional, fallback } = property;
  if (conditional.length === 0) return [...rules, ...fallback];
  const { context, object, scripts, bindings } = validation;
  const holding: Rule[] = [];
  let someHolds = false;
  for (const each of conditional) {
    if (each.dependencies.some((name) => object[name] === undefined)) continue;
    const { value } = await scripts.scripts.evaluate(context, {
      reference: each.condition,
      label: `policy condition of ${propertyName(property.path)}`,
      bindings: { ...bindings, fullObject: object, propName: propertyName(property.path) },
    });
    if (!value) continue;
    someHolds = true;
    holding.push(...each.rules);
  }
  return [...rules, ...(someHolds ? holding : fallback)];
}

/** The values that a path means, with their names; a property is there to be missed if its parent is there. */
function valuesAt(
  object: JsonObject,
  path: readonly string[],
): readonly { readonly name: string; readonly value: JsonValue | undefined }[] {
  const [only, ...below] = path;
  // Most properties stand at the top.
  if (only !== undefined && below.length === 0 && only !== '[]') {
    return [{ name: only, value: memberOf(object, only) }];
  }
  let places: { path: string[]; value: JsonValue | undefined }[] = [{ path: [], value: object }];
  for (const token of path) {
    places = places.flatMap(({ path: parent, value }) => {
      if (token !== '[]') {
        return isObject(value) ? [{ path: [...parent, token], value: memberOf(value, token) }] : [];
      }
      if (!Array.isArray(value)) return [];
      return value.map((element, index) => ({ path: [...parent, `[${index}]`], value: element }));
    });
  }
  return places.map((place) => ({ name: propertyName(place.path), value: place.value }));
}

function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
