import type { GroovySyntaxError } from '../groovy-syntax-error.ts';
import { findRow } from '../runtime/class-table.ts';
import type { ClassDeclaration, FieldDeclaration, MethodDeclaration, Parameter } from '../syntax/ast.ts';
import type { SourceText } from '../syntax/source-text.ts';
import type { ClassNames } from './class-names.ts';

interface Checked {
  readonly name: string;
  readonly node: ClassDeclaration;
}

/** What every object has, so that no class need write it. */
const INHERITED = new Set(
  'toString equals hashCode getClass getProperty setProperty invokeMethod getMetaClass setMetaClass'.split(
    ' ',
  ),
);
/** Each class is compared with all above it: a long chain of classes would take minutes. */
const MOST_ANCESTORS = 200;
const HIDING = ['private', 'protected', 'public', 'PackageScope'];

/** What Groovy refuses in the shape of a class: members twice, parents of the wrong kind, methods without a body. */
export class ClassChecks {
  readonly #classes: ClassNames;
  readonly #source: SourceText;

  constructor(classes: ClassNames, source: SourceText) {
    this.#classes = classes;
    this.#source = source;
  }

  /** @throws GroovySyntaxError */
  check(checked: Checked): void {
    const { node } = checked;
    if (node.modifiers.has('abstract') && node.modifiers.has('final')) {
      throw this.#source.errorAt(node.at, `The class '${node.name}' must not be both final and abstract`);
    }
    this.#checkParents(checked);
    this.#checkFields(node);
    this.checkSignatures(node.methods, checked.name);
    for (const method of node.methods) this.#checkBody(method, node);
    const ancestors = this.#ancestorsOf(checked);
    this.#checkOverriding(checked, ancestors);
    this.#checkImplemented(checked, ancestors);
  }

  /** @throws GroovySyntaxError when two methods take the same types */
  checkSignatures(methods: readonly MethodDeclaration[], className: string): void {
    const seen = new Set<string>();
    for (const { name, parameters, at } of methods) {
      const signature = this.#signature(name, parameters, className);
      if (seen.has(signature)) {
        const what = name === '<init>' ? 'constructor' : `method ${name}()`;
        throw this.#source.errorAt(at, `The ${what} duplicates another of the same signature`);
      }
      seen.add(signature);
    }
  }

  #signature(name: string, parameters: readonly Parameter[], className: string): string {
    const types = parameters.map(({ type, isRest }) => {
      const written = type?.name ?? 'Object';
      const meaning = this.#classes.find(written.replaceAll('[]', ''), className);
      const dimensions = (type?.dimensions ?? 0) + written.split('[]').length - 1 + (isRest ? 1 : 0);
      return `${meaning?.name ?? written}${'[]'.repeat(dimensions)}`;
    });
    return `${name}(${types.join()})`;
  }

  #checkParents({ node, name }: Checked): void {
    const parent = node.parent === undefined ? undefined : this.#classes.find(node.parent.name, name);
    if (parent?.kind === 'declared' && parent.declaration.form === 'interface') {
      throw this.#source.errorAt(
        node.parent!.at,
        `You are not allowed to extend the interface '${parent.name}', use implements instead`,
      );
    }
    if (parent?.kind === 'declared' && parent.declaration.modifiers.has('final')) {
      throw this.#source.errorAt(
        node.parent!.at,
        `You are not allowed to extend the final class '${parent.name}'`,
      );
    }
    for (const type of [...(node.parent === undefined ? [] : [node.parent]), ...node.interfaces]) {
      const above = this.#classes.find(type.name, name);
      if (above?.kind !== 'declared' || !this.#isClosedTo(above.declaration, name)) continue;
      throw this.#source.errorAt(
        type.at,
        `The class '${name}' is not a permitted subclass of '${above.name}'`,
        'Name it behind `permits`.',
      );
    }
    for (const type of node.interfaces) {
      const meaning = this.#classes.find(type.name, name);
      const form =
        meaning?.kind === 'declared' ? meaning.declaration.form : findRow(meaning?.name ?? '')?.form;
      if (meaning === undefined || form === undefined || form === 'interface') continue;
      throw this.#source.errorAt(
        type.at,
        `You are not allowed to implement the class '${meaning.name}', use extends instead`,
      );
    }
  }

  /** A sealed class that says who may extend it, and does not name this one. */
  #isClosedTo({ modifiers, permits }: ClassDeclaration, name: string): boolean {
    if (!modifiers.has('sealed') || permits === undefined) return false;
    return !permits.some((type) => this.#classes.find(type.name, name)?.name === name);
  }

  #checkFields({ constants, fields }: ClassDeclaration): void {
    const seen = new Set<string>();
    for (const { name, at } of [...constants, ...fields]) {
      if (seen.has(name)) throw this.#source.errorAt(at, `The field '${name}' is declared multiple times`);
      seen.add(name);
    }
  }

  #checkBody({ name, body, modifiers, at }: MethodDeclaration, { form, ...owner }: ClassDeclaration): void {
    const isAbstract = modifiers.has('abstract');
    if (isAbstract && body !== undefined) {
      throw this.#source.errorAt(at, `The abstract method ${name}() must not have a body`);
    }
    if (isAbstract && form === 'class' && !owner.modifiers.has('abstract')) {
      throw this.#source.errorAt(
        at,
        `The class '${owner.name}' must be declared abstract or the method ${name}() must not be abstract`,
      );
    }
    if (body === undefined && !isAbstract && form !== 'interface') {
      throw this.#source.errorAt(at, `The method ${name}() has no body`, 'Add one, or declare it abstract.');
    }
  }

  /** Classes and interfaces of the script above a class, the nearest first. */
  #ancestorsOf(checked: Checked): readonly Checked[] {
    const seen = new Set([checked.node]);
    const found: Checked[] = [];
    const look = ({ node, name }: Checked) => {
      for (const type of [...(node.parent === undefined ? [] : [node.parent]), ...node.interfaces]) {
        const meaning = this.#classes.find(type.name, name);
        if (meaning?.kind !== 'declared' || seen.has(meaning.declaration)) continue;
        seen.add(meaning.declaration);
        const above = { name: meaning.name, node: meaning.declaration };
        if (found.length === MOST_ANCESTORS) throw this.#tooManyAbove(checked);
        found.push(above);
        look(above);
      }
    };
    look(checked);
    return found;
  }

  #tooManyAbove({ node, name }: Checked): GroovySyntaxError {
    const what = `The class '${name}' has more than ${MOST_ANCESTORS} classes and interfaces above it`;
    return this.#source.errorAt(node.at, what);
  }

  #checkOverriding({ node, name }: Checked, ancestors: readonly Checked[]): void {
    const closed = ancestors.flatMap((above) =>
      above.node.methods
        .filter(({ modifiers }) => modifiers.has('final') && !modifiers.has('private'))
        .map((method) => ({ above, signature: this.#signature(method.name, method.parameters, above.name) })),
    );
    for (const method of node.methods) {
      if (method.name === '<init>') continue;
      const signature = this.#signature(method.name, method.parameters, name);
      const found = closed.find((each) => each.signature === signature);
      if (found === undefined) continue;
      throw this.#source.errorAt(
        method.at,
        `You are not allowed to override the final method ${method.name}() from class '${found.above.name}'`,
      );
    }
  }

  #checkImplemented({ node, name }: Checked, ancestors: readonly Checked[]): void {
    if (node.form !== 'class' || node.modifiers.has('abstract')) return;
    const family = [{ node, name }, ...ancestors];
    // What a class of the library brings along is not looked at.
    if (family.some((each) => this.#hasKnownParent(each))) return;
    const bodies = family.flatMap((each) => each.node.methods.filter(({ body }) => body !== undefined));
    const accessors = new Set(family.flatMap((each) => each.node.fields.flatMap(accessorsOf)));
    for (const above of ancestors) {
      const missing = above.node.methods.find(
        ({ name: wanted, body, parameters }) =>
          body === undefined &&
          !INHERITED.has(wanted) &&
          !accessors.has(`${wanted}/${parameters.length}`) &&
          !bodies.some((method) => method.name === wanted && takes(method, parameters.length)),
      );
      if (missing === undefined) continue;
      throw this.#source.errorAt(
        node.at,
        `The class '${name}' must be declared abstract or the method ${missing.name}() of '${above.name}' must be implemented`,
      );
    }
  }

  #hasKnownParent({ node, name }: Checked): boolean {
    if (node.parent === undefined) return false;
    const meaning = this.#classes.find(node.parent.name, name);
    return meaning?.kind !== 'declared' && meaning?.name !== 'java.lang.Object';
  }
}

function takes({ parameters }: MethodDeclaration, count: number): boolean {
  const least = parameters.filter(({ byDefault }) => byDefault === undefined).length;
  return count >= least && count <= parameters.length;
}

/** The methods that a property stands for, with how many arguments they take. */
function accessorsOf({ name, modifiers }: FieldDeclaration): string[] {
  if (HIDING.some((word) => modifiers.has(word))) return [];
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return [`get${capital}/0`, `is${capital}/0`, `set${capital}/1`];
}
