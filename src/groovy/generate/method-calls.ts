import type { Argument, Expression, PropertyExpression } from '../syntax/ast.ts';
import { checkStatic, classOf, refuseUnknownClass } from './class-references.ts';
import { mark } from './generated-text.ts';
import { classVariable, type Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateArguments } from './lists.ts';
import { PATTERN_METHODS } from './pattern-literal.ts';
import { generateProperty } from './properties.ts';
import { TEXT_METHODS } from './text-methods.ts';
import { generatePlainText } from './texts.ts';

const REFUSED_METHODS: Readonly<Record<string, string>> = {
  getClassLoader: 'There are no class loaders here.',
};

/** Methods of a resource path that a text does not have, or that mean something else there. */
const PATH_METHODS = new Set(['head', 'tail', 'leaf', 'parent', 'size', 'get', 'child', 'concat']);

export function generateMethodCall(
  g: Generation,
  callee: PropertyExpression,
  args: readonly Argument[],
): string {
  const { object, name, access, at, isField } = callee;
  const list = () => generateArguments(g, args);
  if (isField) return `${mark(at)}$.callValue(${generateProperty(g, callee)},${list()})`;
  if (object.kind === 'name' && g.scope.find(object.name) === undefined) g.notes.call(callee, args);
  const method = methodName(g, name);
  if (typeof name === 'string' && Object.hasOwn(REFUSED_METHODS, name)) {
    throw g.source.errorAt(at, `${name}() is not supported here`, REFUSED_METHODS[name]);
  }
  if (name === 'execute' && startsProgram(object)) {
    throw g.source.errorAt(at, 'A text or a list cannot be executed', 'Scripts cannot start programs.');
  }
  if (object.kind === 'super') {
    const type = classVariable(g.context.className);
    return `${mark(at)}$.superCall(${type},${g.context.self},${method},${list()})`;
  }
  if (object.kind === 'text' && name === 'toString' && args.length === 0) {
    return generatePlainText(g, object);
  }
  const meaning = classOf(g, object);
  if (meaning !== undefined && typeof name === 'string') checkStatic(g, meaning, name, true, at);
  if (object.kind === 'property') refuseUnknownClass(g, object);
  const quick = access === '.' && !isPath(g, object, name) ? textCall(g, callee, args) : undefined;
  if (quick !== undefined) return quick;
  const receiver = isPath(g, object, name) ? generatePath(g, object) : g.expression(object);
  if (typeof name === 'string' && PATTERN_METHODS.has(name)) g.notePattern(args[0]?.value);
  if (access === '*.') return `${mark(at)}$.callEach(${receiver},${method},${list()})`;
  if (access === '?.') return `${mark(at)}$.callSafe(${receiver},${method},()=>${list()})`;
  // The only place where the static type of an argument decides: list.remove((Object) 3).
  const [only] = args;
  if (name === 'remove' && args.length === 1 && only!.key === undefined && isObjectCast(only!.value)) {
    return `${mark(at)}$.call(${receiver},"removeElement",${list()})`;
  }
  return `${mark(at)}${plainCall(g, receiver, method, args)}`;
}

/** In the field `resourceName` is no text, and its methods are those of a path. */
function isPath(g: Generation, object: Expression, name: string | Expression): boolean {
  if (object.kind !== 'name' || object.name !== 'resourceName') return false;
  return typeof name === 'string' && PATH_METHODS.has(name) && g.scope.find(object.name) === undefined;
}

function generatePath(g: Generation, object: Expression): string {
  const value = g.variable();
  const type = g.constant('$.type("org.forgerock.json.resource.ResourcePath")');
  return `(typeof(${value}=${g.expression(object)})==="string"?$.call(${type},"valueOf",[${value}]):${value})`;
}

/** What JavaScript can do itself when the receiver is a text. */
function textCall(
  g: Generation,
  { object, name, at }: PropertyExpression,
  args: readonly Argument[],
): string | undefined {
  if (g.changesClasses) return undefined;
  const method = typeof name === 'string' && args.length === 0 ? TEXT_METHODS[name] : undefined;
  if (method === undefined || object.kind === 'super' || classOf(g, object) !== undefined) return undefined;
  const receiver = g.expression(object);
  if (kindOf(g, object) === 'string') return method.code(receiver);
  if (name === 'toString') return `${mark(at)}$.stringOf(${receiver})`;
  const isLocal = object.kind === 'name' && g.scope.find(object.name) !== undefined;
  const value = isLocal ? receiver : g.variable();
  const code = method.code(value);
  const test = `typeof ${isLocal ? value : `(${value}=${receiver})`}==="string"`;
  return `(${test}?${code}:${mark(at)}$.callBare(${value},${JSON.stringify(name)}))`;
}

/** Most calls have one argument or none, and need no list of them. */
function plainCall(g: Generation, receiver: string, method: string, args: readonly Argument[]): string {
  const [only] = args;
  if (only === undefined) return `$.callBare(${receiver},${method})`;
  if (args.length > 1 || only.key !== undefined || only.value.kind === 'spread')
    return `$.call(${receiver},${method},${generateArguments(g, args)})`;
  return `$.callWith(${receiver},${method},${g.expression(only.value)})`;
}

export function methodName(g: Generation, name: string | Expression): string {
  if (typeof name === 'string') return JSON.stringify(name);
  g.computesMethods = true;
  return `$.toText(${g.expression(name)})`;
}

function startsProgram({ kind, ...object }: Expression): boolean {
  return kind === 'text' || kind === 'list' || ('value' in object && typeof object.value === 'string');
}

function isObjectCast(node: Expression): boolean {
  return node.kind === 'cast' && (node.type.name === 'Object' || node.type.name === 'Integer');
}
