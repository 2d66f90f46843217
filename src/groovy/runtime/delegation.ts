import { capitalize } from './capitalize.ts';
import { call } from './dispatch.ts';
import { dispatcher } from './dispatch-port.ts';
import { keyText } from './hash-key.ts';
import { instanceMethods } from './method-table.ts';
import { ScriptClass, type ScriptField, type ScriptMethod } from './script-class.ts';

/** `@Delegate`: the methods that the type of a field has become methods of the class, unless it has its own. */
export function delegateTo(type: ScriptClass, { name: field, type: declared }: ScriptField): void {
  const target = declared?.();
  if (target === undefined) return;
  const own = new Set(type.methodsByName.keys());
  const fields = new Set(type.fields.map(({ name }) => name));
  const add = (name: string, least: number, most: number) => {
    if (own.has(name)) return;
    own.add(name);
    type.addMethod(forwarding(field, name, least, most));
  };
  for (const each of [target, ...target.ancestors]) {
    if (each instanceof ScriptClass) {
      for (const [name, methods] of each.methodsByName)
        if (!name.startsWith('<') && methods[0]?.isStatic === false)
          add(
            name,
            Math.min(...methods.map(({ least }) => least)),
            Math.max(...methods.map(({ most }) => most)),
          );
      for (const { name, isProperty, isFinal, isStatic } of each.fields) {
        if (!isProperty || isStatic || fields.has(name)) continue;
        add(`get${capitalize(name)}`, 0, 0);
        if (!isFinal) add(`set${capitalize(name)}`, 1, 1);
      }
    }
  }
  if (!(target instanceof ScriptClass)) {
    const ofAll = instanceMethods('java.lang.Object') ?? {};
    const { methods } = target;
    for (const name in methods) {
      const method = methods[name];
      if (method === undefined) continue;
      if (ofAll[name] !== method && !NOT_DELEGATED.has(name)) add(name, method.least, method.most);
    }
  }
  if (target.form === 'interface' && !type.interfaces.includes(target)) type.interfaces.push(target);
}

const NOT_DELEGATED = new Set('toString equals hashCode getClass asType asBoolean'.split(' '));

function forwarding(field: string, name: string, least: number, most: number): ScriptMethod {
  return {
    name,
    isStatic: false,
    isPrivate: false,
    run: (self, ...args) => call(dispatcher.property(self, field), name, args),
    least,
    most,
    hasRest: false,
    typesOf: undefined,
  };
}

/** `@Memoized`: what a method once gave for arguments, each object by itself. */
export function memoized(
  code: (...args: unknown[]) => unknown,
  hasSelf: boolean,
): (...args: unknown[]) => unknown {
  const shared = new Map<string, unknown>();
  const ofObjects = new WeakMap<object, Map<string, unknown>>();
  return (...args) => {
    const known = hasSelf ? knownOf(ofObjects, args[0] as object) : shared;
    const key = keyText(hasSelf ? args.slice(1) : args);
    if (!known.has(key)) known.set(key, code(...args));
    return known.get(key);
  };
}

function knownOf(objects: WeakMap<object, Map<string, unknown>>, self: object): Map<string, unknown> {
  const known = objects.get(self) ?? new Map<string, unknown>();
  objects.set(self, known);
  return known;
}
