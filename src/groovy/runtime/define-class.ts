import { cast } from './casting.ts';
import { arrays } from './closure.ts';
import { construct, superConstructor } from './create-object.ts';
import { delegateTo } from './delegation.ts';
import { emptyValue } from './empty-value.ts';
import { arrayType, classNamed, type JavaClass } from './java-class.ts';
import type { Script } from './script.ts';
import { ScriptClass, type ScriptField, type ScriptMethod, ScriptObject } from './script-class.ts';
import { toText } from './text.ts';
import { exception, illegalArgument, unsupported } from './throwable.ts';

const INTERCEPTABLE = classNamed('groovy.lang.GroovyInterceptable');

type Shape = [least: number, most: number, hasRest: boolean, typesOf?: () => (JavaClass | null)[]];

interface MethodFacts {
  readonly name: string;
  readonly isStatic: boolean;
  readonly isPrivate: boolean;
  /** Null when it is abstract. */
  readonly run: ScriptMethod['run'] | null;
  readonly shape: Shape;
}

/** A class as the compiler writes it. */
export interface ClassFacts {
  readonly parent: JavaClass | null;
  readonly interfaces: readonly JavaClass[];
  readonly fields: readonly ScriptField[];
  readonly methods: readonly MethodFacts[];
  readonly constants: readonly {
    readonly name: string;
    readonly args: () => unknown[];
    readonly body: ((type: ScriptClass) => ClassFacts) | null;
  }[];
  readonly initializers: readonly { readonly isStatic: boolean; readonly run: (self: unknown) => unknown }[];
}

export function newClass(
  name: string,
  form: 'class' | 'interface' | 'enum',
  isAbstract: boolean,
  enclosing: ScriptClass | null = null,
  isInner = false,
): ScriptClass {
  return new ScriptClass(name, form, isAbstract, enclosing, isInner);
}

function toMethod({ name, isStatic, isPrivate, run, shape }: MethodFacts): ScriptMethod {
  const [least, most, hasRest, typesOf] = shape;
  const facts = { name, isStatic, isPrivate, least, most, hasRest, typesOf };
  if (run !== null) return { ...facts, run };
  const none = () => {
    throw exception('java.lang.AbstractMethodError', name);
  };
  return { ...facts, isAbstract: true, run: none };
}

/** A method of the script itself. */
export function defineMethod(
  script: Script,
  name: string,
  run: (...args: unknown[]) => unknown,
  ...shape: Shape
): void {
  const method = toMethod({
    name,
    isStatic: false,
    isPrivate: false,
    run: (_self, ...args) => run(...args),
    shape,
  });
  const known = script.methods.get(name);
  if (known === undefined) script.methods.set(name, [method]);
  else known.push(method);
}

function isIntercepted(type: JavaClass | null): boolean {
  return type === INTERCEPTABLE || (type instanceof ScriptClass && type.isIntercepted);
}

const REPLACED_ACCESS = 'cannot be replaced here: write propertyMissing, or a getter and a setter';

/** Whether it would be called for every property: that would be another meaning, without an error. */
function replacesAccess({ name, isStatic, shape: [least] }: MethodFacts): boolean {
  return !isStatic && ((name === 'getProperty' && least === 1) || (name === 'setProperty' && least === 2));
}

export function defineClass(type: ScriptClass, _script: unknown, facts: ClassFacts): ScriptClass {
  type.parent = facts.parent ?? (type.form === 'enum' ? classNamed('java.lang.Enum') : null);
  type.interfaces = [...facts.interfaces];
  type.isIntercepted = [type.parent, ...type.interfaces].some(isIntercepted);
  type.fields = [...facts.fields];
  for (const method of facts.methods) {
    if (replacesAccess(method)) throw unsupported(`${method.name} of a class ${REPLACED_ACCESS}`);
    type.addMethod(toMethod(method));
  }
  for (const field of facts.fields) if (field.isDelegate) delegateTo(type, field);
  for (const { name, isStatic, type: declared } of facts.fields) {
    if (isStatic || type.form === 'interface') type.statics[name] = emptyValue(declared?.());
  }
  if (type.form === 'enum') defineConstants(type, facts);
  for (const { name, isStatic, value, type: declared } of facts.fields) {
    if ((isStatic || type.form === 'interface') && value !== undefined) {
      type.statics[name] = declared === undefined ? value(type) : cast(value(type), declared());
    }
  }
  for (const { isStatic, run } of facts.initializers) {
    if (isStatic) run(type);
    else type.initializers.push(run);
  }
  return type;
}

function defineConstants(type: ScriptClass, { constants }: ClassFacts): void {
  for (const [ordinal, { name, args, body }] of constants.entries()) {
    const own = body === null ? type : new ScriptClass(`${type.name}$${ordinal + 1}`, 'enum', false);
    if (body !== null) {
      defineClass(own, null, { ...body(own), parent: type, constants: [] });
    }
    const constant = new ScriptObject(own);
    constant.fields['$name'] = name;
    constant.fields['$ordinal'] = ordinal;
    if (body === null) construct(own, constant, args());
    else superConstructor(own, constant, args());
    type.statics[name] = constant;
    type.constants.push(constant);
  }
  const byName = (name: unknown) => {
    const found = type.statics[toText(name)];
    if (found instanceof ScriptObject) return found;
    throw illegalArgument(`No enum constant ${type.name}.${toText(name)}`);
  };
  const none = { isStatic: true, isPrivate: false, hasRest: false, typesOf: undefined };
  type.addMethod({
    ...none,
    name: 'values',
    run: () => arrays.make([...type.constants], arrayType(type)),
    least: 0,
    most: 0,
  });
  type.addMethod({ ...none, name: 'valueOf', run: (_self, name) => byName(name), least: 1, most: 1 });
  type.statics['MIN_VALUE'] = type.constants[0] ?? null;
  type.statics['MAX_VALUE'] = type.constants.at(-1) ?? null;
}
