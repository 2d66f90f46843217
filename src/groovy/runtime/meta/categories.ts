import { Closure, call0 } from '../closure.ts';
import { classNamed, JavaClass } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import '../methods/object-methods.ts';
import { ScriptClass, type ScriptMethod } from '../script-class.ts';
import { badArgument, unsupported } from '../throwable.ts';
import { addMethod, type Undo } from './class-changes.ts';

/** Methods that values have inside `use (Category) { … }`: the static methods of a class, which take the value first. */

/** How categories of the library tell what they add; each adds itself while it loads. */
export const libraryCategories = new Map<string, () => readonly (readonly [JavaClass, ScriptMethod])[]>();

const OBJECT = classNamed('java.lang.Object');

function methodsOf(category: unknown): readonly (readonly [JavaClass, ScriptMethod])[] {
  if (!(category instanceof JavaClass)) throw badArgument();
  const known = libraryCategories.get(category.name);
  if (known !== undefined) return known();
  if (!(category instanceof ScriptClass)) throw unsupported(`${category.name} is no category here`);
  const methods: (readonly [JavaClass, ScriptMethod])[] = [];
  for (let type: JavaClass | null = category; type instanceof ScriptClass; type = type.parent) {
    const declared = type.statics['$category'];
    for (const method of [...type.methodsByName.values()].flat()) {
      if (method.isStatic && method.most > 0) methods.push(ofStatic(method, type));
      else if (declared instanceof JavaClass && !method.isStatic && method.name !== '<init>')
        methods.push([declared, method]);
    }
  }
  return methods;
}

function ofStatic(method: ScriptMethod, category: ScriptClass): readonly [JavaClass, ScriptMethod] {
  const { name, hasRest, least, most, typesOf } = method;
  return [
    typesOf?.()[0] ?? OBJECT,
    {
      name,
      isStatic: false,
      isPrivate: false,
      run: (self, ...args) => method.run(category, self, ...args),
      least: Math.max(0, least - 1),
      most: most - 1,
      hasRest,
      typesOf: typesOf === undefined ? undefined : () => typesOf().slice(1),
    },
  ];
}

function use(_self: unknown, ...args: unknown[]): unknown {
  const closure = args.at(-1);
  if (!(closure instanceof Closure)) throw badArgument();
  const undo: Undo[] = [];
  try {
    for (const category of args.slice(0, -1).flat())
      for (const [type, method] of methodsOf(category)) undo.unshift(addMethod(type, method));
    return call0(closure);
  } finally {
    for (const each of undo) each();
  }
}

defineMethods('java.lang.Object', null, { 'use/2+': use });
