import { findClassName, isPackage, nestedClassName } from '../runtime/class-table.ts';
import type { ClassDeclaration, Import, Script, TypeName } from '../syntax/ast.ts';
import type { SourceText } from '../syntax/source-text.ts';
import { PRIMITIVES } from '../syntax/token.ts';
import { MissingClasses } from './missing-classes.ts';

const DEFAULT_PACKAGES = [
  'java.lang',
  'java.util',
  'java.io',
  'java.net',
  'groovy.lang',
  'groovy.util',
  'org.forgerock.json.resource',
  'org.forgerock.json',
  'org.forgerock.http',
  // Last, so that what a script imports itself comes first.
  'org.flowable.engine.delegate',
];
const DEFAULT_CLASSES = ['java.math.BigDecimal', 'java.math.BigInteger'];
const PACKAGE_ROOTS = new Set(['java', 'javax', 'groovy', 'groovyx', 'org', 'com', 'jakarta', 'sun', 'jdk']);

/** What a class name in the script means: a class of the script, of the runtime, or nothing. */
export type ClassMeaning =
  | { readonly kind: 'primitive' | 'known'; readonly name: string }
  | { readonly kind: 'declared'; readonly declaration: ClassDeclaration; readonly name: string };

/** What stands for a class that is missing, until all of the script has been looked at. */
const STAND_IN: ClassMeaning = { kind: 'known', name: 'java.lang.Object' };

export class ClassNames {
  readonly #declared = new Map<string, ClassMeaning>();
  readonly #imported = new Map<string, string>();
  readonly #typeVariables: ReadonlySet<string>;
  /** The packages in which names of classes are looked up; those that the script imports come first. */
  readonly #packages: string[] = [];
  /** Classes whose static members can be named alone, and the members imported one by one. */
  readonly staticStars: string[] = [];
  readonly staticNames = new Map<string, { readonly className: string; readonly member: string }>();

  readonly missing: MissingClasses;
  readonly newified: ReadonlySet<string>;

  constructor(
    source: SourceText,
    { imports, typeVariables, newified }: Pick<Script, 'imports' | 'typeVariables' | 'newified'>,
  ) {
    this.missing = new MissingClasses(source);
    this.#typeVariables = typeVariables;
    this.newified = newified;
    for (const name of DEFAULT_CLASSES) this.#imported.set(simpleName(name), name);
    for (const each of imports) this.#import(each);
    this.#packages.push(...DEFAULT_PACKAGES);
  }

  declare(name: string, declaration: ClassDeclaration): void {
    const meaning: ClassMeaning = { kind: 'declared', declaration, name };
    this.#declared.set(name, meaning);
    this.#declared.set(name.replaceAll('$', '.'), meaning);
  }

  isDeclared(name: string): boolean {
    return this.#declared.has(name);
  }

  /** `outer`: the class around the place, whose own classes need no prefix. */
  find(name: string, outer = ''): ClassMeaning | undefined {
    if (PRIMITIVES.has(name)) return { kind: 'primitive', name };
    for (let prefix = outer; prefix !== ''; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('$')))) {
      const inner = this.#declared.get(`${prefix}$${name}`);
      if (inner !== undefined) return inner;
    }
    const declared = this.#declared.get(name);
    if (declared !== undefined) return declared;
    const full = this.#findKnown(name);
    if (full !== undefined) return { kind: 'known', name: full };
    return this.#typeVariables.has(name) ? { kind: 'known', name: 'java.lang.Object' } : undefined;
  }

  /** One that is missing is noted, so that the rest of the script can be looked at too. */
  get(type: TypeName, outer = ''): ClassMeaning {
    const meaning = this.find(type.name, outer);
    if (meaning !== undefined) return meaning;
    this.missing.report(type.name, type.at);
    return STAND_IN;
  }

  /** Whether a dotted name that begins like this can only be that of a class. */
  isPackageRoot(name: string): boolean {
    return PACKAGE_ROOTS.has(name);
  }

  #findKnown(name: string): string | undefined {
    const imported = this.#imported.get(name);
    if (imported !== undefined) return imported;
    if (name.includes('.')) {
      const full = findClassName(name);
      if (full !== undefined) return full;
      const [first, ...rest] = name.split('.');
      const outer = this.#findKnown(first!);
      return outer === undefined ? undefined : nestedClassName(outer, rest.join('.'));
    }
    for (const packageName of this.#packages) {
      const full = findClassName(`${packageName}.${name}`);
      if (full !== undefined) return full;
    }
    return undefined;
  }

  #import({ name, alias, isStatic, isStar, at }: Import): void {
    if (isStar && !isStatic) {
      const isKnown = findClassName(name) !== undefined || isPackage(name);
      if (!isKnown && PACKAGE_ROOTS.has(name.split('.')[0]!)) this.missing.addPackage(name, at);
      this.#packages.push(name);
      return;
    }
    if (!isStatic) {
      const full = findClassName(name);
      if (full === undefined) this.missing.addImport(alias ?? simpleName(name), name, at);
      else this.#imported.set(alias ?? simpleName(name), full);
      return;
    }
    const className = isStar ? name : name.slice(0, name.lastIndexOf('.'));
    const full = findClassName(className);
    if (full === undefined) {
      if (isStar) this.missing.addPackage(className, at);
      else this.missing.addImport(alias ?? simpleName(name), className, at);
    } else if (isStar) this.staticStars.push(full);
    else {
      const member = simpleName(name);
      this.staticNames.set(alias ?? member, { className: full, member });
    }
  }
}

function simpleName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
