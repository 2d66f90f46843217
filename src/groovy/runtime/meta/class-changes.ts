import { type Closure, missingMethod, naming } from '../closure.ts';
import { boxOf, type JavaClass } from '../java-class.ts';
import { defineStatics, type Method, type MethodTable, ownTable, staticMethods } from '../method-table.ts';
import { copyClosure } from '../methods/object-methods.ts';
import { ScriptClass, type ScriptMethod, selectMethod } from '../script-class.ts';

/*
 * Methods that a script adds to a class while it runs. They stand where the methods of the class stand, so finding
 * them costs nothing; the memory of the sandbox, and they with it, is put back before the next run.
 */

/** What takes a change back. */
export type Undo = () => void;

/** A closure as a method: its delegate is the object on which it is called. */
export function methodOf(name: string, closure: Closure, isStatic = false): ScriptMethod {
  return {
    name,
    isStatic,
    isPrivate: false,
    isAdded: true,
    run: (self, ...args) => {
      const bound = copyClosure(closure);
      bound.delegate = self;
      return bound.call(args.filter((arg) => arg !== undefined));
    },
    least: closure.hasRest ? closure.most - 1 : closure.least,
    most: closure.most,
    hasRest: closure.hasRest,
    typesOf: closure.typesOf,
  };
}

export function addMethod(type: JavaClass, method: ScriptMethod): Undo {
  if (type instanceof ScriptClass) return addToScriptClass(type, method);
  if (method.isStatic) {
    if (staticMethods(type.name) === undefined) defineStatics(type.name, {});
    return addToTable(staticMethods(type.name)!, method, type);
  }
  return addToTable(tableOf(boxOf(type)), method, type);
}

/** The first of those that fit equally well is called. */
function addToScriptClass(type: ScriptClass, method: ScriptMethod): Undo {
  const before = type.methodsByName.get(method.name);
  type.methodsByName.set(method.name, [method, ...(before ?? [])]);
  return () => {
    if (before === undefined) type.methodsByName.delete(method.name);
    else type.methodsByName.set(method.name, before);
  };
}

/**
 * The table in which the methods of a class are changed; the class of an object that was changed alone has its own
 * already.
 */
function tableOf(type: JavaClass): MethodTable {
  return type.isSingle ? type.table! : ownTable(type.name, type.methods);
}

const added = new WeakMap<Method, { readonly methods: readonly ScriptMethod[]; readonly before?: Method }>();

function addToTable(table: MethodTable, method: ScriptMethod, type: JavaClass): Undo {
  const { name, isStatic } = method;
  const own = Object.hasOwn(table, name) ? table[name] : undefined;
  const known = own === undefined ? undefined : added.get(own);
  const before = known === undefined ? table[name] : known.before;
  const methods = [method, ...(known?.methods ?? [])];
  const most = Math.max(before?.most ?? 0, ...methods.map((each) => (each.hasRest ? 255 : each.most)));
  const choose = (self: unknown, args: unknown[]): unknown => {
    const selected = selectMethod(methods, args);
    if (selected !== undefined) return selected.method.run(self, ...selected.args);
    if (before === undefined || args.length < before.least || args.length > before.most)
      throw missingMethod(isStatic ? type.name : naming.className(self), name, args);
    return isStatic ? before.run(...args) : before.run(self, ...args);
  };
  const run = isStatic
    ? (...args: unknown[]) => choose(type, args)
    : (self: unknown, ...args: unknown[]) => choose(self, args);
  const least = Math.min(before?.least ?? 255, ...methods.map((each) => each.least));
  const made: Method = { run, least, most };
  added.set(made, before === undefined ? { methods } : { methods, before });
  table[name] = made;
  return () => {
    if (own === undefined) delete table[name];
    else table[name] = own;
  };
}

/** The methods of a name that scripts have added to a class of the library. */
export function addedMethods(table: MethodTable, name: string): readonly ScriptMethod[] {
  const method = table[name];
  return (method === undefined ? undefined : added.get(method)?.methods) ?? [];
}
