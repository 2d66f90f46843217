import { parseArguments } from './arguments.ts';
import type { Argument } from './ast.ts';
import { CLASS_ANNOTATIONS, optionNamed } from './class-annotations.ts';
import type { Parsing } from './parsing.ts';
import { pathText } from './path-text.ts';

/** Annotations that change nothing here. `Field` is looked at by whoever declares variables. */
const HARMLESS_ANNOTATIONS = new Set(
  (
    'Field Override Deprecated SuppressWarnings SafeVarargs FunctionalInterface CompileStatic CompileDynamic ' +
    'TypeChecked PackageScope TailRecursive InheritConstructors Lazy Delegate Memoized Synchronized ' +
    'WithReadLock WithWriteLock MapConstructor'
  ).split(' '),
);

export function parseAnnotations(p: Parsing): Set<string> {
  const names = new Set<string>();
  while (p.is('@') && !(p.peek().kind === 'keyword' && p.peek().text === 'interface')) {
    const { at } = p.take();
    let name = p.expectName().text;
    while (p.is('.') && p.peek().kind === 'name') {
      p.take();
      name = p.take().text;
    }
    const hasArguments = p.is('(') && !p.token.startsLine;
    if (name === 'Newify') parseNewify(p, hasArguments);
    else if (CLASS_ANNOTATIONS.has(name))
      p.classAnnotations.set(name, hasArguments ? parseOptions(p, name) : []);
    else if (!HARMLESS_ANNOTATIONS.has(name))
      throw p.refuse(at, `The annotation @${name} is`, 'Write the code that it stands for.');
    else if (hasArguments) p.index = (p.token.closedBy ?? p.index) + 1;
    names.add(name);
  }
  return names;
}

function parseNewify(p: Parsing, hasArguments: boolean): void {
  const args = hasArguments ? parseArguments(p) : [];
  for (const { value } of args.flatMap(({ value }) =>
    value.kind === 'list' ? value.items.map((item) => ({ value: item })) : [{ value }],
  )) {
    const path = pathText(value);
    if (path === undefined) throw p.refuse(value.at, 'This option of @Newify is', 'Write `new`.');
    p.newified.add(path);
  }
}

function parseOptions(p: Parsing, name: string): readonly Argument[] {
  const args = parseArguments(p);
  // Its only argument is a class.
  if (name === 'Category') return args;
  const strange = args.find(({ key, value }) => key !== undefined || optionNamed(value) === undefined);
  if (strange !== undefined)
    throw p.refuse(strange.value.at, `This option of @${name} is`, 'Write the code that it stands for.');
  return args;
}
