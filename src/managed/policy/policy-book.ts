import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ManagedTypes } from '../managed-types.ts';
import { CATALOGUE } from './catalogue.ts';
import { type PropertyRules, propertyName, type Rule, ruleList, rulesRunScripts } from './property-rules.ts';

/** `policy.json` as far as it is known. */
export interface PolicySettings {
  readonly additionalFiles: readonly string[];
  /** `[{resource: "repo/internal/user/*", properties: [{name, policies}]}]` */
  readonly resources: readonly JsonObject[];
}

/** All rules in force: what the schemas of managed types say, and what `policy.json` adds by path. */
export class PolicyBook {
  readonly #types: ManagedTypes;
  readonly #settings: PolicySettings;
  readonly #byPath: readonly { readonly resource: string; readonly rules: readonly PropertyRules[] }[];
  readonly #byType = new WeakMap<readonly PropertyRules[], readonly PropertyRules[]>();

  /** @throws BadRequestError when a rule of the settings cannot be */
  constructor(types: ManagedTypes, settings: PolicySettings) {
    this.#types = types;
    this.#settings = settings;
    this.#byPath = settings.resources.map(({ resource, properties }) => ({
      resource: String(resource),
      rules: configuredRules(properties),
    }));
  }

  get files(): readonly string[] {
    return this.#settings.additionalFiles;
  }

  get resources(): readonly JsonObject[] {
    return this.#settings.resources;
  }

  /** The rules for objects of a collection such as `managed/user`. */
  rulesFor(collection: string): readonly PropertyRules[] {
    const path = collection.split('/');
    const type = path[0] === 'managed' && path.length === 2 ? this.#types.current().get(path[1]!) : undefined;
    if (type === undefined) return this.#configured(collection);
    const known = this.#byType.get(type.rules);
    if (known !== undefined) return known;
    const rules = merge(this.#configured(collection), type.rules);
    this.#byType.set(type.rules, rules);
    return rules;
  }

  /** Whether a path such as `managed/user/*` is below a managed type that is not declared, and nothing else has rules for it. */
  isUnknown(path: readonly string[]): boolean {
    const [root, type] = path;
    if (root !== 'managed' || type === undefined || type === '*' || type === '-') return false;
    return !this.#types.current().has(type) && this.rulesFor(path.slice(0, -1).join('/')).length === 0;
  }

  /** Policies that are not built in, with the first property that has each. */
  undeclared(): readonly { readonly policyId: string; readonly property: string }[] {
    const found = new Map<string, string>();
    const places = [
      ...[...this.#types.current().values()].map(({ name, rules }) => ({ place: `managed/${name}`, rules })),
      ...this.#byPath.map(({ resource, rules }) => ({ place: resource, rules })),
    ];
    for (const { place, rules } of places) {
      for (const { path, rules: own, conditional, fallback } of rules) {
        for (const { policyId } of [...own, ...conditional.flatMap((each) => each.rules), ...fallback]) {
          if (CATALOGUE.has(policyId) || found.has(policyId)) continue;
          found.set(policyId, `${place} ${propertyName(path)}`);
        }
      }
    }
    return [...found].map(([policyId, property]) => ({ policyId, property }));
  }

  runsScripts(collection: string): boolean {
    return rulesRunScripts(this.rulesFor(collection));
  }

  #configured(collection: string): PropertyRules[] {
    return this.#byPath.filter(({ resource }) => covers(resource, collection)).flatMap(({ rules }) => rules);
  }
}

function configuredRules(properties: JsonValue | undefined): PropertyRules[] {
  const declared = Array.isArray(properties) ? properties.filter(isObject) : [];
  return declared.map(({ name, policies }) => ({
    path: pathOf(String(name)),
    rules: ruleList(policies),
    conditional: [],
    fallback: [],
  }));
}

/** `*` matches one segment; what follows the collection stands for its objects. */
function covers(pattern: string, collection: string): boolean {
  const wanted = pattern.split('/');
  const path = [...collection.split('/'), '*'];
  return (
    wanted.length === path.length &&
    wanted.every((segment, index) => segment === '*' || path[index] === '*' || segment === path[index])
  );
}

/** `a/b`, and `a[*]` for each element. */
function pathOf(name: string): string[] {
  return name.replaceAll('[*]', '/[]').split('/');
}

/** Rules of one property from both sources: configured first, a rule of the schema takes the place of its namesake. */
function merge(configured: readonly PropertyRules[], declared: readonly PropertyRules[]): PropertyRules[] {
  const merged = new Map<string, PropertyRules>();
  for (const each of [...configured, ...declared]) {
    const name = propertyName(each.path);
    const before = merged.get(name);
    merged.set(
      name,
      before === undefined ? each : { ...each, rules: replaceRules(before.rules, each.rules) },
    );
  }
  return [...merged.values()];
}

function replaceRules(before: readonly Rule[], after: readonly Rule[]): Rule[] {
  const replaced = new Set(after.map(({ policyId }) => policyId));
  return [...before.filter(({ policyId }) => !replaced.has(policyId)), ...after];
}
