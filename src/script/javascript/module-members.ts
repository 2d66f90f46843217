import type { Node, Program } from 'acorn';
import { type AnyNode, childrenOf, isNamed, requiredName } from './syntax-tree.ts';

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

  function visit(node: AnyNode | Program, parent: Node | undefined): void {
    const used = node.type === 'MemberExpression' ? memberOf(node as AnyNode) : undefined;
    if (used !== undefined) {
      const isCall = parent?.type === 'CallExpression' && (parent as AnyNode)['callee'] === node;
      if (isCall) calls.push({ ...used, offset: node.start });
      else looked.add(`${used.module} ${used.member}`);
    }
    for (const child of childrenOf(node)) visit(child, node);
  }

  function memberOf(node: AnyNode): { module: string; member: string } | undefined {
    const object = node['object'] as AnyNode;
    const property = node['property'] as AnyNode;
    const module =
      requiredName(object) ??
      (object.type === 'Identifier' ? modules.get(String(object['name'])) : undefined);
    if (module === undefined || node['computed'] === true || property.type !== 'Identifier') return undefined;
    return { module, member: String(property['name']) };
  }
}

/** The variables of which it is plain that they are a module: bound once in the whole script, to a `require`. */
function moduleVariables(program: Program): ReadonlyMap<string, string> {
  /** Undefined: to something else, or more than once. */
  const bindings = new Map<string, string | undefined>();
  const bind = (target: unknown, module: string | undefined) => {
    for (const name of namesIn(target as AnyNode | null)) {
      bindings.set(name, bindings.has(name) ? undefined : module);
    }
  };
  visit(program);
  return new Map([...bindings].flatMap(([name, module]) => (module === undefined ? [] : [[name, module]])));

  function visit(node: AnyNode | Program): void {
    const any = node as AnyNode;
    if (any.type === 'VariableDeclarator') bind(any['id'], requiredName(any['init'] as Node | null));
    if (any.type === 'AssignmentExpression') bind(any['left'], undefined);
    if (any.type === 'ForInStatement' || any.type === 'ForOfStatement') bind(any['left'], undefined);
    if (any.type === 'CatchClause') bind(any['param'], undefined);
    if (any.type === 'FunctionDeclaration' || any.type === 'ClassDeclaration') bind(any['id'], undefined);
    for (const parameter of (any['params'] as AnyNode[] | undefined) ?? []) bind(parameter, undefined);
    for (const child of childrenOf(node)) visit(child);
  }
}

/** Every name in a target or pattern; of `module.member = …` the module, which is no longer what it was. */
function namesIn(node: AnyNode | null): string[] {
  if (node === null) return [];
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
  function visit(node: AnyNode | Program): boolean {
    const any = node as AnyNode;
    if (isNamed(any, 'exports') || isNamed(any, 'module')) return false;
    const left = any.type === 'AssignmentExpression' ? (any['left'] as AnyNode) : undefined;
    if (left?.type !== 'MemberExpression' || left['computed'] === true) return childrenOf(node).every(visit);
    const object = left['object'] as AnyNode;
    const property = String((left['property'] as AnyNode)['name']);
    if (isNamed(object, 'exports')) {
      names.add(property);
    } else if (isNamed(object, 'module')) {
      other = requiredName(any['right'] as Node);
      return property === 'exports' && other !== undefined;
    } else {
      return childrenOf(node).every(visit);
    }
    return visit(any['right'] as AnyNode);
  }
}
