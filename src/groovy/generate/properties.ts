import type { Expression, PropertyExpression } from '../syntax/ast.ts';
import { pathText } from '../syntax/path-text.ts';
import type { ClassMeaning } from './class-names.ts';
import { checkStatic, classOf, meaningValue, refuseUnknownClass } from './class-references.ts';
import { mark } from './generated-text.ts';
import { classVariable, type Generation } from './generation.ts';

const REFUSED_PROPERTIES = new Set(['classLoader']);

/** Names of members that are no different in JavaScript. */
const MEMBER = /^(?!__proto__$)[a-zA-Z_$][\w$]*$/;

export function generateProperty(g: Generation, node: PropertyExpression): string {
  const { object, name, access, isField, at } = node;
  const meaning = access === '.' && !isField ? classOf(g, node) : undefined;
  if (meaning !== undefined) return meaningValue(g, meaning);
  if (typeof name === 'string' && REFUSED_PROPERTIES.has(name) && object.kind !== 'name') {
    throw g.source.errorAt(at, `${name} is not supported here`, 'There are no class loaders here.');
  }
  const owner = classOf(g, object);
  if (owner !== undefined && name === 'class') return classNamedBy(g, object, owner);
  if (owner !== undefined && name === 'this') {
    const isOuter = owner.kind === 'declared' && owner.name !== g.context.className;
    return isOuter ? `$.outerOf(${g.context.self},${meaningValue(g, owner)})` : g.context.self;
  }
  if (owner !== undefined && typeof name === 'string') checkStatic(g, owner, name, false, at);
  refuseUnknownClass(g, node);
  const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${g.expression(name)})`;
  if (object.kind === 'super') {
    return `${mark(at)}$.superProperty(${classVariable(g.context.className)},${g.context.self},${key})`;
  }
  if (typeof name === 'string') noteBindingAccess(g, object, name);
  const receiver = g.expression(object);
  if (isField) return `${mark(at)}$.field(${receiver},${key})`;
  if (access === '?.') return `${mark(at)}$.propertySafe(${receiver},${key})`;
  if (access === '*.') return `${mark(at)}$.propertyEach(${receiver},${key})`;
  if (object.kind === 'this' && owner === undefined) {
    const own = ownField(g, String(name));
    if (own !== undefined && typeof name === 'string') return own;
  }
  if (object.kind === 'this' || typeof name !== 'string' || !MEMBER.test(name))
    return `${mark(at)}$.property(${receiver},${key})`;
  return quickProperty(g, object, receiver, name, at);
}

/** `String[].class` is the class of the arrays. */
function classNamedBy(g: Generation, object: Expression, meaning: ClassMeaning): string {
  const dimensions = pathText(object)?.match(/\[\]/g)?.length ?? 0;
  const type = meaningValue(g, meaning);
  return dimensions === 0 ? type : g.constant(`$.arrayType(${type},${dimensions})`);
}

/** Most properties are texts in maps that came as JSON; they are read without a call. */
function quickProperty(
  g: Generation,
  object: Expression,
  receiver: string,
  name: string,
  at: number,
): string {
  const isLocal = object.kind === 'name' && g.scope.find(object.name) !== undefined;
  const holder = isLocal ? receiver : g.variable();
  if (name === 'key' || name === 'value') {
    const entry = isLocal ? holder : `(${holder}=${receiver})`;
    return `(${entry}?.isEntry$?${holder}.${name}:${mark(at)}$.property(${holder},"${name}"))`;
  }
  const value = g.variable();
  const found = `${value}=${isLocal ? holder : `(${holder}=${receiver})`}?.json?.${name}`;
  return `(typeof (${found})==="string"?${value}:${mark(at)}$.property(${holder},${JSON.stringify(name)}))`;
}

/** `this.x` in a script is its variable. */
function noteBindingAccess(g: Generation, object: Expression, name: string): void {
  if (object.kind === 'this' || pathText(object)?.startsWith('binding') === true) g.freeNames.add(name);
}

/** A field of the class around, named inside its own methods: no getter is asked. */
export function ownField(g: Generation, name: string): string | undefined {
  const { declaration, self, owner, isStatic } = g.context;
  if (declaration === undefined || owner !== self) return undefined;
  const field = declaration.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return undefined;
  const isStaticField = field.modifiers.has('static');
  if (isStaticField) return `${classVariable(g.context.className)}.statics[${JSON.stringify(name)}]`;
  return isStatic ? undefined : `${self}.fields[${JSON.stringify(name)}]`;
}
