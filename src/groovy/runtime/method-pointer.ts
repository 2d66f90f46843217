import { Closure, closureOf } from './closure.ts';
import { create } from './create-object.ts';
import { call, callUnintercepted, responds } from './dispatch.ts';
import { JavaClass } from './java-class.ts';
import { staticMethods } from './method-table.ts';
import { Script } from './script.ts';
import { ScriptClass, type ScriptMethod, scriptClassOf } from './script-class.ts';
import { typeOf } from './type-of.ts';

/** `object.&name`, `Type::name`. */
export function pointer(receiver: unknown, name: string, owner: unknown, self: unknown): Closure {
  if (receiver instanceof JavaClass && name === 'new')
    return closureOf(0, 255, (...args) => create(receiver, given(args)));
  const code =
    receiver instanceof JavaClass
      ? (_closure: Closure, ...args: unknown[]) => callOfClass(receiver, name, given(args))
      : (_closure: Closure, ...args: unknown[]) => callUnintercepted(receiver, name, given(args));
  const count = parametersOf(receiver, name);
  return new Closure(owner, self, code, count ?? 0, count ?? 255, false, undefined, name);
}

/** How many arguments the only method of the name takes; undefined when that is not sure. */
function parametersOf(receiver: unknown, name: string): number | undefined {
  const own = receiver instanceof Script ? receiver.methods.get(name) : ownMethods(receiver, name);
  if (own !== undefined) {
    const [only, ...others] = own;
    return others.length === 0 && only?.least === only?.most ? only?.most : undefined;
  }
  const statics = receiver instanceof JavaClass ? staticMethods(receiver.name)?.[name] : undefined;
  const method = statics ?? typeOf(receiver)?.methods[name];
  return method !== undefined && method.least === method.most && method.most === 2 ? 2 : undefined;
}

function ownMethods(receiver: unknown, name: string): readonly ScriptMethod[] | undefined {
  const methods = scriptClassOf(receiver)?.findMethods(name) ?? [];
  return methods.length === 0 ? undefined : methods;
}

function given(args: readonly unknown[]): unknown[] {
  return args.filter((arg) => arg !== undefined);
}

/** A static method, or an instance method whose object comes as the first argument. */
function callOfClass(type: JavaClass, name: string, args: unknown[]): unknown {
  const [first, ...others] = args;
  const isStatic =
    staticMethods(type.name)?.[name] !== undefined ||
    (type instanceof ScriptClass && type.findMethods(name).some((method) => method.isStatic));
  if (isStatic || args.length === 0 || !responds(first, name, others.length)) return call(type, name, args);
  return call(first, name, others);
}
