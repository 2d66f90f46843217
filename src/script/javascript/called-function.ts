import type { AnyNode, CallExpression, NewExpression, Node, Program } from 'acorn';
import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';
import type { TextPosition } from './source-edits.ts';

const LONGEST_NAME = 60;

/**
 * What a script tried to call at a place, as it is written there. QuickJS says only that it is no function, and points
 * at the bracket of the call, or at the `return` in front of it. Undefined where that is not sure.
 */
export function calledAt(script: ScriptSource, place: TextPosition): string | undefined {
  const offset = offsetOf(script.source, place);
  const callee = calleeAt(script, offset);
  if (callee === undefined) return undefined;
  const text = script.source.slice(callee.start, callee.end);
  return text.length <= LONGEST_NAME && !text.includes('\n') ? text : undefined;
}

function calleeAt(script: ScriptSource, offset: number): Node | undefined {
  let program: Program;
  try {
    ({ program } = parseScript(script));
  } catch {
    return undefined;
  }
  let found: Node | undefined;
  visit(program, (node) => {
    if (isCall(node)) {
      const bracket = script.source.indexOf('(', node.callee.end);
      if (bracket === offset || (node.callee.end <= offset && offset <= bracket)) found ??= node.callee;
    } else if (node.type === 'ReturnStatement' && node.start === offset) {
      const { argument } = node;
      if (argument != null && isCall(argument)) found ??= argument.callee;
    }
  });
  return found;
}

function isCall(node: Node): node is CallExpression | NewExpression {
  return node.type === 'CallExpression' || node.type === 'NewExpression';
}

function offsetOf(source: string, { line, column }: TextPosition): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = source.indexOf('\n', start);
    if (end < 0) return -1;
    start = end + 1;
  }
  return start + column - 1;
}

function visit(node: AnyNode, look: (node: AnyNode) => void): void {
  look(node);
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) {
      if (isNode(each)) visit(each, look);
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** What to write instead of methods that values of Java have; `it` stands for the value. */
const INSTEAD: Readonly<Record<string, string>> = {
  size: 'Object.keys(it).length',
  isEmpty: 'Object.keys(it).length === 0',
  toArray: 'Object.values(it)',
  equals: 'it === other',
  iterator: 'for (const name in it)',
  length: 'it.length',
  get: 'it[name]',
  put: 'it[name] = value',
  remove: 'delete it[name]',
  containsKey: 'name in it',
  containsValue: 'Object.values(it).includes(value)',
  contains: 'it.includes(value)',
  keySet: 'Object.keys(it)',
  values: 'Object.values(it)',
  entrySet: 'Object.entries(it)',
  putAll: 'Object.assign(it, other)',
  add: 'it.push(value)',
  addAll: 'it.push(...others)',
  hashCode: 'JSON.stringify(it)',
  getClass: 'typeof it',
  getObject: 'it, which is the value itself',
  asString: 'it, which is the value itself',
  asMap: 'it, which is the value itself',
  asList: 'it, which is the value itself',
  asBoolean: 'it, which is the value itself',
  isNull: 'it === null',
  isNotNull: 'it !== null',
  isDefined: 'name in it',
  getTime: 'new Date(it).getTime()',
  getBytes: 'it, as texts have no bytes here',
  matches: 'new RegExp(pattern).test(it)',
};

/** Advice for a call of `user.roles.size`, in terms of what is written in front of the method. */
export function insteadOfCalling(called: string): string | undefined {
  const [, receiver, method = ''] = /^(.+)\.([A-Za-z]\w*)$/s.exec(called) ?? [];
  if (receiver === undefined || !Object.hasOwn(INSTEAD, method)) return undefined;
  return INSTEAD[method]!.replaceAll(/\bit\b/g, receiver);
}
