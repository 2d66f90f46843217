import { asDeclared } from './casting.ts';
import type { Closure } from './closure.ts';
import { instanceOf, superConstructor } from './create-object.ts';
import { type ClassFacts, defineClass } from './define-class.ts';
import type { JavaClass } from './java-class.ts';
import { ScriptClass } from './script-class.ts';

export function newAnonymous(
  name: string,
  parent: JavaClass,
  owner: unknown,
  args: unknown[],
  facts: (type: ScriptClass) => ClassFacts,
): unknown {
  const type = new ScriptClass(name, 'class', false);
  const isInterface = parent.form === 'interface';
  const own = facts(type);
  defineClass(type, null, {
    ...own,
    parent: isInterface ? null : parent,
    interfaces: isInterface ? [parent] : [],
  });
  type.outer = owner;
  const self = instanceOf(type);
  superConstructor(type, self, args);
  return self;
}

/** An object whose missing methods all are the closure. */
function implementedBy(closure: Closure, parent: JavaClass): unknown {
  const type = new ScriptClass(`${parent.name}$closure`, 'class', false);
  type.interfaces = [parent];
  const wanted = [parent, ...parent.ancestors].filter(
    (each): each is ScriptClass => each instanceof ScriptClass,
  );
  for (const name of wanted.flatMap(({ methodsByName }) => [...methodsByName.keys()])) {
    const run = (_self: unknown, ...args: unknown[]) => closure.call(args);
    type.addMethod({
      name,
      isStatic: false,
      isPrivate: false,
      run,
      least: 0,
      most: 255,
      hasRest: false,
      typesOf: undefined,
    });
  }
  return instanceOf(type);
}

asDeclared.make = implementedBy;
