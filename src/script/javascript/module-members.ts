import type { Node, Program } from 'acorn';
import {
  type AnyNode,
  childrenOf,
  isComputed,
  isNamed,
  nodeAt,
  nodesAt,
  requiredName,
} from './syntax-tree.ts';

/** A call such as `require('module').member()`. */
export interface MemberCall {
  readonly module: string;
  readonly member: string;
  /** Where it stands, from 0. */
  readonly offset: number;
}

/**
 * The functions of modules that a script calls, also by a variable that is nothing but the module. Where it looks at a
 * member before it calls it, it knows that there may be none.
 */
export function memberCalls(program: Program): readonly MemberCall[] {
  const modules = moduleVariables(program);
  const calls: MemberCall[] = [];
  const looked = new Set<string>();
  visit(program, undefined);
  return calls.filter(({ module, member }) => !looked.has(`${module} ${member}`));

  function visit(node: Node, parent: Node | undefined): void {
    const used = memberOf(node);
    if (used !== undefined) {
      const isCall = parent?.type === 'CallExpression' && nodeAt(parent, 'callee') === node;
      if (isCall) calls.push({ ...used, offset: node.start });
      else looked.add(`${used.module} ${used.member}`);
    }
    for (const child of childrenOf(node)) visit(child, node);
  }

  function memberOf(node: Node): { module: string; member: string } | undefined {
    if (node.type !== 'MemberExpression') return undefined;
    const [object, property] = [nodeAt(node, 'object'), nodeAt(node, 'property')];
    const module =
      requiredName(object) ??
      (object?.type === 'Identifier' ? modules.get(String(object['name'])) : undefined);
    if (module === undefined || isComputed(node) || property?.type !== 'Identifier') return undefined;
    return { module, member: String(property['name']) };
  }
}

/** The variables of which it is plain that they are a module: bound once in the whole script, to a `require`. */
function moduleVariables(program: Program): ReadonlyMap<string, string> {
  /** Undefined: to something else, or more than once. */
  const bindings = new Map<string, string | undefined>();
  const bind = (target: AnyNode | undefined, module: string | undefined) => {
    for (const name of namesIn(target)) {
      bindings.set(name, bindings.has(name) ? undefined : module);
    }
  };
  visit(program);
  return new Map([...bindings].flatMap(([name, module]) => (module === undefined ? [] : [[name, module]])));

  function visit(node: Node): void {
    const { type } = node;
    if (type === 'VariableDeclarator') bind(nodeAt(node, 'id'), requiredName(nodeAt(node, 'init')));
    if (type === 'AssignmentExpression') bind(nodeAt(node, 'left'), undefined);
    if (type === 'ForInStatement' || type === 'ForOfStatement') bind(nodeAt(node, 'left'), undefined);
    if (type === 'CatchClause') bind(nodeAt(node, 'param'), undefined);
    if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') bind(nodeAt(node, 'id'), undefined);
    for (const parameter of nodesAt(node, 'params')) bind(parameter, undefined);
    for (const child of childrenOf(node)) visit(child);
  }
}

/** Every name in a target or pattern; of `module.member = …` the module, which is no longer what it was. */
function namesIn(node: AnyNode | undefined): string[] {
  if (node === undefined) return [];
  return node.type === 'Identifier' ? [String(node['name'])] : childrenOf(node).flatMap(namesIn);
}

/**
 * What a module exports; the name of the module that it is, where it is nothing but another; undefined where that is not
 * to be seen without running it.
 */
export function exportedNames(program: Program): ReadonlySet<string> | string | undefined {
  const names = new Set<string>();
  let other: string | undefined;
  const isPlain = visit(program);
  if (!isPlain || (other !== undefined && names.size > 0)) return undefined;
  return other ?? names;

  /** @returns false as soon as `exports` is used in another way */
  function visit(node: Node): boolean {
    if (isNamed(node, 'exports') || isNamed(node, 'module')) return false;
    const left = node.type === 'AssignmentExpression' ? nodeAt(node, 'left') : undefined;
    if (left?.type !== 'MemberExpression' || isComputed(left)) return childrenOf(node).every(visit);
    const object = nodeAt(left, 'object');
    const property = String(nodeAt(left, 'property')?.['name']);
    const right = nodeAt(node, 'right');
    if (isNamed(object, 'exports')) {
      names.add(property);
    } else if (isNamed(object, 'module')) {
      other = requiredName(right);
      return property === 'exports' && other !== undefined;
    } else {
      return childrenOf(node).every(visit);
    }
    return right === undefined || visit(right);
  }
}
