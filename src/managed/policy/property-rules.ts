import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';
import { CATALOGUE } from './catalogue.ts';
import { compilePattern } from './text-policies.ts';

/** A policy with its parameters. */
export interface Rule {
  readonly policyId: string;
  readonly params: JsonObject;
}

export interface ConditionalRules {
  readonly condition: ScriptReference;
  /** Properties that must be there for the condition to be asked. */
  readonly dependencies: readonly string[];
  readonly rules: readonly Rule[];
}

/** What is asked of a property; `[]` in the path stands for each element of an array. */
export interface PropertyRules {
  readonly path: readonly string[];
  readonly rules: readonly Rule[];
  readonly conditional: readonly ConditionalRules[];
  /** Rules that are in force where no condition holds. */
  readonly fallback: readonly Rule[];
}

/**
 * The rules of a type: what its schema says of each property, then what is configured for it.
 *
 * @throws BadRequestError for a pattern that is none, and for a condition that is no script
 */
export function compileRules(properties: JsonObject, required: readonly string[]): PropertyRules[] {
  const compiled = Object.entries(properties).flatMap(([name, property]) =>
    rulesOf([name], isObject(property) ? property : {}, required.includes(name)),
  );
  // Names that are required without being described.
  const described = new Set(Object.keys(properties));
  const undescribed = required
    .filter((name) => !described.has(name))
    .map((name) => ({ path: [name], rules: [rule('required')], conditional: [], fallback: [] }));
  return [...compiled, ...undescribed];
}

export function rulesRunScripts(rules: readonly PropertyRules[]): boolean {
  const isCustom = ({ policyId }: Rule) => !CATALOGUE.has(policyId);
  return rules.some(
    (each) => each.conditional.length > 0 || each.rules.some(isCustom) || each.fallback.some(isCustom),
  );
}

/** The name by which results speak of a property: `address/city`, `tags[0]`. */
export function propertyName(path: readonly string[]): string {
  return path.join('/').replaceAll('/[', '[');
}

function rulesOf(path: readonly string[], property: JsonObject, isRequired: boolean): PropertyRules[] {
  const own: PropertyRules = {
    path,
    rules: [...schemaRules(property, isRequired), ...ruleList(property['policies'])],
    conditional: conditionalRules(property['conditionalPolicies'], path),
    fallback: ruleList(property['fallbackPolicies']),
  };
  return [own, ...nestedRules(path, property)];
}

function nestedRules(path: readonly string[], property: JsonObject): PropertyRules[] {
  const types = typesOf(property);
  if (types.includes('relationship')) return [];
  const nested: PropertyRules[] = [];
  const { properties, items } = property;
  if (isObject(properties)) {
    const required = Array.isArray(property['required']) ? property['required'].map(String) : [];
    for (const [name, declared] of Object.entries(properties)) {
      if (isObject(declared)) nested.push(...rulesOf([...path, name], declared, required.includes(name)));
    }
  }
  if (isObject(items) && !typesOf(items).includes('relationship')) {
    nested.push(...rulesOf([...path, '[]'], items, false));
  }
  return nested;
}

/** The rules of a property's schema in the order of the protocol: presence, content, length, pattern, type. */
function schemaRules(property: JsonObject, isRequired: boolean): Rule[] {
  const types = typesOf(property);
  const isList = Array.isArray(property['type']);
  const { minLength, pattern } = property;
  const rules: Rule[] = [];
  if (isRequired || property['required'] === true) rules.push(rule('required'));
  if ((isList && !types.includes('null')) || Number(minLength) > 0) rules.push(rule('not-empty'));
  if (types.includes('string') && isNumeric(minLength)) {
    rules.push(rule('minimum-length', { minLength: Number(minLength) }));
  }
  if (types.includes('string') && typeof pattern === 'string') {
    rules.push(rule('regexpMatches', { regexp: pattern, flags: '' }));
  }
  if (types.length > 0) rules.push(rule('valid-type', { types: validTypes(types, property) }));
  return rules;
}

/** A reference is an object, and relationships are cleared by null. */
function validTypes(types: readonly string[], { items }: JsonObject): string[] {
  const isRelationship =
    types.includes('relationship') || (isObject(items) && typesOf(items).includes('relationship'));
  const valid = types.map((type) => (type === 'relationship' ? 'object' : type));
  return isRelationship && !valid.includes('null') ? [...valid, 'null'] : valid;
}

export function ruleList(declared: JsonValue | undefined): Rule[] {
  if (!Array.isArray(declared)) return [];
  return declared.flatMap((entry) => {
    if (!isObject(entry) || typeof entry['policyId'] !== 'string') return [];
    return [rule(entry['policyId'], isObject(entry['params']) ? entry['params'] : {})];
  });
}

function conditionalRules(declared: JsonValue | undefined, path: readonly string[]): ConditionalRules[] {
  if (!Array.isArray(declared)) return [];
  return declared.filter(isObject).map((entry) => ({
    condition: parseScriptReference(
      entry['condition'],
      `/${propertyName(path)}/conditionalPolicies/condition`,
    ),
    dependencies: Array.isArray(entry['dependencies']) ? entry['dependencies'].map(String) : [],
    rules: ruleList(entry['policies']),
  }));
}

/** @throws BadRequestError for a pattern that is no regular expression */
function rule(policyId: string, params: JsonObject = {}): Rule {
  if (policyId === 'regexpMatches') compilePattern(params);
  return { policyId, params };
}

function typesOf({ type }: JsonObject): string[] {
  return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
}

function isNumeric(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && !Number.isNaN(Number(value));
}
