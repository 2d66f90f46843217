import { internalRole } from '#config/index.ts';
import { ActivationError } from '#errors/index.ts';
import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type AccessCondition, parseCondition } from './access-condition.ts';

/** One rule of `script/access.js`. It grants; there are no rules that deny. */
export interface AccessRule {
  /** `*`, a path, or `prefix/*`. */
  readonly pattern: string;
  /** Lower case; `*` among them stands for any. */
  readonly roles: ReadonlySet<string>;
  readonly methods: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly excludePatterns: readonly string[];
  /** Null when nothing else is asked. */
  readonly condition: AccessCondition | null;
  /** The condition as it is written. */
  readonly text: string | null;
  /** The place of the rule among all rules, from 0. */
  readonly index: number;
  /** Where it begins in the file; undefined where that makes its rules in another way than by writing them out. */
  readonly line?: number;
}

/** What of a request the static part of a rule looks at. */
export interface AccessQuestion {
  readonly path: string;
  readonly roles: readonly string[];
  readonly method: string;
  /** Null unless the method is `action`. */
  readonly action: string | null;
}

/**
 * @param config the value of `httpAccessConfig`: `{configs: [{pattern, roles, methods, actions, …}]}`
 * @param lines on which the rules stand, where that is known
 * @throws ActivationError that names the rule
 */
export function parseAccessRules(config: JsonValue, lines: readonly number[] = []): readonly AccessRule[] {
  const configs = isObject(config) ? getMember(config, 'configs') : undefined;
  if (!Array.isArray(configs)) throw bad('', 'httpAccessConfig has no list `configs`');
  return configs.map((rule, index) => {
    if (!isObject(rule)) throw bad(`/configs/${index}`, 'the rule is no object');
    const line = lines.length === configs.length ? lines[index] : undefined;
    return { ...parseRule(rule, `/configs/${index}`), index, ...(line === undefined ? {} : { line }) };
  });
}

function parseRule(rule: JsonObject, where: string): Omit<AccessRule, 'index'> {
  const pattern = rule['pattern'];
  if (typeof pattern !== 'string' || pattern === '') throw bad(`${where}/pattern`, 'the rule has no pattern');
  const words = (name: string) => {
    const text = rule[name];
    if (typeof text !== 'string') throw bad(`${where}/${name}`, `the rule for '${pattern}' has no ${name}`);
    return new Set(text.split(',').map((word) => word.toLowerCase()));
  };
  const narrowing = (name: string) => {
    const text = rule[name] ?? '';
    if (typeof text === 'string') return text;
    throw bad(`${where}/${name}`, `the ${name} of the rule for '${pattern}' is no text`);
  };
  const condition = narrowing('customAuthz');
  const text = condition.trim() === '' ? null : condition;
  return {
    pattern,
    roles: new Set([...words('roles')].map((role) => internalRole(role) ?? role)),
    methods: words('methods'),
    actions: 'actions' in rule ? words('actions') : new Set(),
    // What a rule does not grant must not be granted because of a blank.
    excludePatterns: narrowing('excludePatterns')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    condition: text === null ? null : parseCondition(text),
    text,
  };
}

/** Whether the rule grants, as far as it can be said without its condition. */
export function fitsRule(rule: AccessRule, { path, roles, method, action }: AccessQuestion): boolean {
  return (
    fitsPattern(rule.pattern, path) &&
    has(rule.methods, method) &&
    (action === null || has(rule.actions, action.toLowerCase())) &&
    (rule.roles.has('*') || roles.some((role) => rule.roles.has(role.toLowerCase()))) &&
    !rule.excludePatterns.some((pattern) => fitsPattern(pattern, path))
  );
}

/** `prefix/*` is everything below, at any depth, but not `prefix` itself. */
export function fitsPattern(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  return path === pattern;
}

function has(words: ReadonlySet<string>, word: string): boolean {
  return words.has('*') || words.has(word);
}

function bad(where: string, message: string): ActivationError {
  const hint = 'A rule is {pattern, roles, methods, actions?, customAuthz?, excludePatterns?}';
  return new ActivationError([{ id: 'ACCESS_BAD_RULE', where: `script/access.js ${where}`, message, hint }]);
}
