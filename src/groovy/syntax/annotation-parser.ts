import type { Argument } from './ast.ts';
import { CLASS_ANNOTATIONS, optionNamed } from './class-annotations.ts';
import { pathText } from './path-text.ts';
import { StatementParser } from './statement-parser.ts';

/** Annotations that change nothing here. `Field` is looked at by whoever declares variables. */
const HARMLESS_ANNOTATIONS = new Set(
  (
    'Field Override Deprecated SuppressWarnings SafeVarargs FunctionalInterface CompileStatic CompileDynamic ' +
    'TypeChecked PackageScope TailRecursive InheritConstructors Lazy Delegate Memoized Synchronized ' +
    'WithReadLock WithWriteLock MapConstructor'
  ).split(' '),
);

/** Annotations: most change nothing, some stand for members of a class, any other is refused. */
export abstract class AnnotationParser extends StatementParser {
  /** Those that were read last and stand for members of a class. */
  protected readonly classAnnotations = new Map<string, readonly Argument[]>();

  /** Classes of `@Newify`: their names, called, make objects. */
  protected readonly newified = new Set<string>();

  protected override annotations(): Set<string> {
    const names = new Set<string>();
    while (this.is('@') && !(this.peek().kind === 'keyword' && this.peek().text === 'interface')) {
      const { at } = this.take();
      let name = this.expectName().text;
      while (this.is('.') && this.peek().kind === 'name') {
        this.take();
        name = this.take().text;
      }
      const hasArguments = this.is('(') && !this.token.startsLine;
      if (name === 'Newify') this.#newify(hasArguments);
      else if (CLASS_ANNOTATIONS.has(name))
        this.classAnnotations.set(name, hasArguments ? this.#options(name) : []);
      else if (!HARMLESS_ANNOTATIONS.has(name))
        throw this.refuse(at, `The annotation @${name} is`, 'Write the code that it stands for.');
      else if (hasArguments) this.index = (this.token.closedBy ?? this.index) + 1;
      names.add(name);
    }
    return names;
  }

  #newify(hasArguments: boolean): void {
    const args = hasArguments ? this.arguments() : [];
    for (const { value } of args.flatMap(({ value }) =>
      value.kind === 'list' ? value.items.map((item) => ({ value: item })) : [{ value }],
    )) {
      const path = pathText(value);
      if (path === undefined) throw this.refuse(value.at, 'This option of @Newify is', 'Write `new`.');
      this.newified.add(path);
    }
  }

  #options(name: string): readonly Argument[] {
    const args = this.arguments();
    // Its only argument is a class.
    if (name === 'Category') return args;
    const strange = args.find(({ key, value }) => key !== undefined || optionNamed(value) === undefined);
    if (strange !== undefined)
      throw this.refuse(strange.value.at, `This option of @${name} is`, 'Write the code that it stands for.');
    return args;
  }
}
