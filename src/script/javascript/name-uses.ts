import type { Program } from 'acorn';
import { type AnyNode, childrenOf, isComputed, nodeAt, nodesAt } from './syntax-tree.ts';

/** A name, and where it stands, from 0. */
interface Mention {
  readonly name: string;
  readonly at: number;
}

/** Such as `svc.read(path)`: a member of a name that the script does not declare. */
interface MemberUse extends Mention {
  readonly object: string;
  /** How many arguments it is called with; undefined where it is not called, or where that is not to be seen. */
  readonly given: number | undefined;
  /** How many of these arguments are functions written out in the call. */
  readonly functions: number;
}

/** What a script does with names. */
export interface NameUses {
  /** Names that it reads and does not declare. */
  readonly free: readonly Mention[];
  /** Names that it assigns and does not declare, which makes variables of them. */
  readonly assigned: ReadonlySet<string>;
  /** Variables that it declares and never reads. */
  readonly unused: readonly (Mention & { readonly isTop: boolean })[];
  readonly members: readonly MemberUse[];
}

interface Variable {
  readonly node: AnyNode;
  isRead: boolean;
}

class Scope {
  readonly outer: Scope | undefined;
  /** Where `var` goes. */
  readonly whole: Scope;
  /** Undefined: declared, and nobody asks whether it is read. */
  readonly names = new Map<string, Variable | undefined>();

  constructor(outer: Scope | undefined, isFunction: boolean) {
    this.outer = outer;
    this.whole = isFunction || outer === undefined ? this : outer.whole;
  }

  find(name: string): Scope | undefined {
    return this.names.has(name) ? this : this.outer?.find(name);
  }
}

interface Reference {
  readonly node: AnyNode;
  readonly scope: Scope;
  readonly kind: 'read' | 'write' | 'ask';
}

const NOTHING: NameUses = { free: [], assigned: new Set(), unused: [], members: [] };

/** Read off the text alone; nothing of a script that can reach its variables by names that it makes up. */
export function nameUses(program: Program): NameUses {
  const reader = new UseReader();
  for (const child of childrenOf(program)) reader.visit(child, reader.top);
  return reader.isOpaque ? NOTHING : reader.uses();
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
const BLOCKS: ReadonlySet<string> = new Set([
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'StaticBlock',
]);

/** Declarations first and references along with them; what is what is known when all have been seen. */
class UseReader {
  readonly top = new Scope(undefined, true);
  isOpaque = false;
  readonly #scopes: Scope[] = [this.top];
  readonly #references: Reference[] = [];
  readonly #members: { readonly node: AnyNode; readonly call: AnyNode | undefined; readonly scope: Scope }[] =
    [];

  visit(node: AnyNode | undefined, scope: Scope, call?: AnyNode): void {
    if (node === undefined) return;
    const { type } = node;
    if (FUNCTIONS.has(type)) this.#function(node, scope);
    else if (BLOCKS.has(type)) this.#block(node, scope);
    else if (type === 'VariableDeclaration') this.#variables(node, scope);
    else if (type === 'ClassDeclaration' || type === 'ClassExpression') this.#class(node, scope);
    else if (type === 'Identifier') this.#refer(node, scope, 'read');
    else if (type === 'AssignmentExpression') this.#assignment(node, scope);
    else if (type === 'MemberExpression') this.#member(node, scope, call);
    else if (type === 'Property' || type === 'MethodDefinition' || type === 'PropertyDefinition') {
      if (isComputed(node)) this.visit(nodeAt(node, 'key'), scope);
      this.visit(nodeAt(node, 'value'), scope);
    } else if (type === 'CallExpression') this.#call(node, scope);
    else if (type === 'UnaryExpression') this.#unary(node, scope);
    else if (type === 'LabeledStatement') this.visit(nodeAt(node, 'body'), scope);
    else if (type === 'WithStatement') this.isOpaque = true;
    else if (type !== 'BreakStatement' && type !== 'ContinueStatement' && type !== 'MetaProperty') {
      for (const child of childrenOf(node)) this.visit(child, scope);
    }
  }

  uses(): NameUses {
    const free: Mention[] = [];
    const assigned = new Set<string>();
    for (const { node, scope, kind } of this.#references) {
      const name = nameOf(node);
      const owner = scope.find(name);
      const variable = owner?.names.get(name);
      if (owner === undefined) {
        if (kind === 'read') free.push(mention(name, node));
        if (kind === 'write') assigned.add(name);
      } else if (variable !== undefined && kind !== 'write') variable.isRead = true;
    }
    return { free, assigned, unused: this.#unused(), members: this.#memberUses() };
  }

  #unused() {
    return this.#scopes.flatMap((scope) =>
      [...scope.names].flatMap(([name, variable]) =>
        variable === undefined || variable.isRead || name.startsWith('_')
          ? []
          : { ...mention(name, variable.node), isTop: scope === this.top },
      ),
    );
  }

  #memberUses(): MemberUse[] {
    return this.#members.flatMap(({ node, call, scope }) => {
      const object = nodeAt(node, 'object');
      const property = nodeAt(node, 'property');
      if (object?.type !== 'Identifier' || property?.type !== 'Identifier' || isComputed(node)) return [];
      if (scope.find(nameOf(object)) !== undefined) return [];
      const list = call === undefined ? [] : nodesAt(call, 'arguments');
      const isPlain = call !== undefined && list.every(({ type }) => type !== 'SpreadElement');
      return {
        ...mention(nameOf(property), property),
        object: nameOf(object),
        given: isPlain ? list.length : undefined,
        functions: list.filter(({ type }) => FUNCTIONS.has(type)).length,
      };
    });
  }

  #inner(outer: Scope, isFunction: boolean): Scope {
    const scope = new Scope(outer, isFunction);
    this.#scopes.push(scope);
    return scope;
  }

  #function(node: AnyNode, outer: Scope): void {
    const id = nodeAt(node, 'id');
    if (id !== undefined && node.type === 'FunctionDeclaration') outer.whole.names.set(nameOf(id), undefined);
    const scope = this.#inner(outer, true);
    scope.names.set('arguments', undefined);
    if (id !== undefined && node.type === 'FunctionExpression') scope.names.set(nameOf(id), undefined);
    for (const parameter of nodesAt(node, 'params'))
      this.#target(parameter, scope, (name) => declare(scope, name));
    const body = nodeAt(node, 'body');
    // The block of a function is the function.
    for (const child of body?.type === 'BlockStatement' ? nodesAt(body, 'body') : [body])
      this.visit(child, scope);
  }

  #block(node: AnyNode, outer: Scope): void {
    const scope = this.#inner(outer, false);
    const parameter = node.type === 'CatchClause' ? nodeAt(node, 'param') : undefined;
    this.#target(parameter, scope, (name) => declare(scope, name));
    // `for (x of list)` assigns what it does not declare.
    const left =
      node.type === 'ForInStatement' || node.type === 'ForOfStatement' ? nodeAt(node, 'left') : undefined;
    const isAssigned = left !== undefined && left.type !== 'VariableDeclaration';
    if (isAssigned) this.#target(left, scope, (name) => this.#refer(name, scope, 'write'));
    for (const child of childrenOf(node)) {
      if (child !== parameter && !(isAssigned && child === left)) this.visit(child, scope);
    }
  }

  #variables(node: AnyNode, scope: Scope): void {
    const owner = node['kind'] === 'var' ? scope.whole : scope;
    for (const declarator of nodesAt(node, 'declarations')) {
      this.#target(nodeAt(declarator, 'id'), scope, (name) =>
        declare(owner, name, { node: name, isRead: false }),
      );
      this.visit(nodeAt(declarator, 'init'), scope);
    }
  }

  #class(node: AnyNode, scope: Scope): void {
    const id = nodeAt(node, 'id');
    if (id !== undefined) scope.names.set(nameOf(id), undefined);
    this.visit(nodeAt(node, 'superClass'), scope);
    this.visit(nodeAt(node, 'body'), scope);
  }

  #assignment(node: AnyNode, scope: Scope): void {
    const left = nodeAt(node, 'left');
    this.#target(left, scope, (name) => this.#refer(name, scope, 'write'));
    if (node['operator'] !== '=' && left?.type === 'Identifier') this.#refer(left, scope, 'read');
    this.visit(nodeAt(node, 'right'), scope);
  }

  #member(node: AnyNode, scope: Scope, call: AnyNode | undefined): void {
    this.#members.push({ node, call, scope });
    this.visit(nodeAt(node, 'object'), scope);
    if (isComputed(node)) this.visit(nodeAt(node, 'property'), scope);
  }

  #call(node: AnyNode, scope: Scope): void {
    const callee = nodeAt(node, 'callee');
    if (callee?.type === 'Identifier' && nameOf(callee) === 'eval') this.isOpaque = true;
    this.visit(callee, scope, node);
    for (const argument of nodesAt(node, 'arguments')) this.visit(argument, scope);
  }

  #unary(node: AnyNode, scope: Scope): void {
    const argument = nodeAt(node, 'argument');
    // `typeof name` asks whether there is such a name.
    if (node['operator'] === 'typeof' && argument?.type === 'Identifier') this.#refer(argument, scope, 'ask');
    else this.visit(argument, scope);
  }

  /** Every name of a pattern; what stands in it besides is an expression. */
  #target(node: AnyNode | undefined, scope: Scope, onName: (name: AnyNode) => void): void {
    switch (node?.type) {
      case 'Identifier':
        onName(node);
        return;
      case 'ObjectPattern':
        for (const property of nodesAt(node, 'properties')) {
          if (isComputed(property)) this.visit(nodeAt(property, 'key'), scope);
          const inner = property.type === 'Property' ? nodeAt(property, 'value') : property;
          this.#target(inner, scope, onName);
        }
        return;
      case 'ArrayPattern':
        for (const element of nodesAt(node, 'elements')) this.#target(element, scope, onName);
        return;
      case 'AssignmentPattern':
        this.#target(nodeAt(node, 'left'), scope, onName);
        this.visit(nodeAt(node, 'right'), scope);
        return;
      case 'RestElement':
        this.#target(nodeAt(node, 'argument'), scope, onName);
        return;
      default:
        this.visit(node, scope);
    }
  }

  #refer(node: AnyNode, scope: Scope, kind: Reference['kind']): void {
    this.#references.push({ node, scope, kind });
  }
}

/** What is declared twice is one variable. */
function declare(scope: Scope, name: AnyNode, variable?: Variable): void {
  if (!scope.names.has(nameOf(name))) scope.names.set(nameOf(name), variable);
}

function nameOf(node: AnyNode): string {
  return String(node['name']);
}

function mention(name: string, { start }: AnyNode): Mention {
  return { name, at: start };
}
