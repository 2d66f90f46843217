import type { FieldDeclaration, MethodDeclaration, Statement } from '../syntax/ast.ts';
import { generateFunctionBody } from './blocks.ts';
import { converted, typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import { classVariable, type FunctionContext, type Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateArguments } from './lists.ts';
import { generateFunction, parameterShape } from './parameters.ts';

export function generateField(
  g: Generation,
  { name, type, value, modifiers, at }: FieldDeclaration,
  context: FunctionContext,
): string {
  if (type !== undefined) typeValue(g, type);
  const isStatic = modifiers.has('static');
  const isProperty = !['private', 'protected', 'public', 'PackageScope'].some((word) => modifiers.has(word));
  const initial =
    value === undefined
      ? ''
      : `,value:${inFunction(g, { ...context, isStatic }, () => `($t)=>(${mark(at)}${converted(g, g.expression(value), type, kindOf(g, value))})`)}`;
  const typed = type === undefined ? '' : `,type:()=>${typeValue(g, type)}`;
  const facts = `isStatic:${isStatic},isFinal:${modifiers.has('final')},isProperty:${isProperty}${modifiers.has('Delegate') ? ',isDelegate:true' : ''}`;
  return `{name:${JSON.stringify(name)},${facts}${typed}${initial}}`;
}

export function generateMethod(g: Generation, node: MethodDeclaration, context: FunctionContext): string {
  const isStatic = node.modifiers.has('static');
  const { returns: type } = node;
  if (type !== undefined) typeValue(g, type);
  const own = { ...context, isStatic, ...(type === undefined ? {} : { returns: type }) };
  const code =
    node.body === undefined
      ? 'null'
      : inFunction(g, own, () => generateFunction(g, node.parameters, '$t', () => methodBody(g, node)));
  const isPrivate = node.modifiers.has('private');
  const run = node.modifiers.has('Memoized') ? `$.memoized(${code},true)` : code;
  return `{name:${JSON.stringify(node.name)},isStatic:${isStatic},isPrivate:${isPrivate},run:${run},shape:[${parameterShape(g, node.parameters)}]}`;
}

/** A constructor may begin with `this(…)` or `super(…)`; without, the fields get their values first. */
function methodBody(g: Generation, node: MethodDeclaration): string {
  const body = node.body ?? [];
  if (node.name !== '<init>') return generateFunctionBody(g, body);
  const [first, ...rest] = body;
  const type = classVariable(g.context.className);
  const value = first?.kind === 'expression' && first.value.kind === 'call' ? first.value : undefined;
  const kind = value?.callee.kind;
  if (value === undefined || (kind !== 'this' && kind !== 'super')) {
    return `$.superConstructor(${type},$t,[]);${constructorBody(g, body)}`;
  }
  const start = kind === 'this' ? 'thisConstructor' : 'superConstructor';
  return `${mark(value.at)}$.${start}(${type},$t,${generateArguments(g, value.args)});${constructorBody(g, rest)}`;
}

function constructorBody(g: Generation, body: readonly Statement[]): string {
  const { returns: _returns, ...context } = g.context;
  return g.inContext(context, () => generateFunctionBody(g, body));
}

export function inFunction<T>(g: Generation, context: FunctionContext, body: () => T): T {
  return g.inContext(context, () => g.inScope(context.className.includes('$') ? 'closure' : 'method', body));
}
