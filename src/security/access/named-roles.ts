import { type AnyNode, childrenOf, isNamed, nodeAt, nodesAt, parseScript } from '#script/index.ts';
import { foldRole } from '../authentication/role-names.ts';
import { CONDITION_NAMES } from './conditions.ts';

/** What a rule says beside its roles, in words that are none. */
const OTHER_MEMBERS: ReadonlySet<string> = new Set(['pattern', 'methods', 'actions', 'excludePatterns']);
/** The members that make an object a rule. */
const RULE = ['pattern', 'roles', 'methods'];
/** Calls that take names of types and of their properties. */
const OTHER_CALLS = CONDITION_NAMES.filter((name) => name !== 'hasRole');
const LIST_OF_RULES = 'configs';

/**
 * What may be the name of a role in what `script/access.js` says: whatever stands in quotes, or in a pattern, there, be it in a condition or in a
 * function that one calls, and the names of members, since a table may have roles for its keys. Folded.
 *
 * @param texts the file, and the conditions that it has come to
 */
export function namesIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap(wordsOf).map(foldRole));
}

/** The words of a script that may name roles; of a text that is no script all between its quotes, which may be too many. */
function wordsOf(text: string): readonly string[] {
  return statementsOf(text)?.flatMap(wordsAt) ?? text.split(/[\\"'`,]+/);
}

function statementsOf(source: string): readonly AnyNode[] | undefined {
  try {
    return nodesAt(parseScript({ name: 'access', source }).program, 'body');
  } catch {
    return undefined;
  }
}

function wordsAt(node: AnyNode): readonly string[] {
  const within = () => childrenOf(node).flatMap(wordsAt);
  switch (node.type) {
    case 'Literal':
      return literal(node);
    case 'TemplateElement':
      return quoted(textIn(node['value'], 'cooked') ?? '');
    case 'CallExpression':
      return OTHER_CALLS.some((name) => isNamed(node['callee'], name)) ? [] : within();
    case 'ObjectExpression':
      return membersOf(node);
    default:
      return within();
  }
}

function literal(node: AnyNode): readonly string[] {
  const pattern = textIn(node['regex'], 'pattern');
  if (pattern !== undefined) return pattern.split(/[^\p{L}\p{N}_-]+/u);
  return typeof node['value'] === 'string' ? quoted(node['value']) : [];
}

function textIn(holder: unknown, name: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const text: unknown = Reflect.get(holder, name);
  return typeof text === 'string' ? text : undefined;
}

function membersOf(object: AnyNode): readonly string[] {
  const members = nodesAt(object, 'properties');
  const names = members.map(memberName);
  const isRule = RULE.every((name) => names.includes(name));
  return members.flatMap((member, index) => {
    const name = names[index];
    const value = nodeAt(member, 'value');
    if (name === undefined || value === undefined) return wordsAt(member);
    if (isRule && OTHER_MEMBERS.has(name)) return [];
    return isRule || name === LIST_OF_RULES ? wordsAt(value) : [name, ...wordsAt(value)];
  });
}

/** Undefined where it is reckoned. */
function memberName(member: AnyNode): string | undefined {
  const key = nodeAt(member, 'key');
  if (member.type !== 'Property' || key === undefined || member['computed'] === true) return undefined;
  return String(key.type === 'Identifier' ? key['name'] : key['value']);
}

/** What is quoted may itself be a condition, or a list. */
function quoted(text: string): readonly string[] {
  return /["'`]/.test(text) ? wordsOf(text) : text.split(/[,;|]/);
}
