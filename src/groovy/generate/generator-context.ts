import { staticMemberProblem } from '../runtime/static-members.ts';
import type { Argument, ClassDeclaration, Expression, Statement, TypeName } from '../syntax/ast.ts';
import { pathText } from '../syntax/path-text.ts';
import type { SourceText } from '../syntax/source-text.ts';
import type { ClassMeaning, ClassNames } from './class-names.ts';
import { patternLiteral } from './pattern-literal.ts';
import { type Local, mangle, Scope, type StaticKind } from './scope.ts';

/** The entries of the variables of the script, by name. */
export const SCRIPT_VARIABLES = '$v';

/** It may add methods to classes of the library, or take others in their place. */
const CHANGES_CLASSES = /\b(?:[mM]etaClass|use)\b/;

const SEES_BINDING = /\b(?:binding|getBinding|getVariables?|hasVariable|getProperty|propertyMissing)\b/;

/** A method of the script that can be called without looking for it. */
export interface DirectMethod {
  readonly js: string;
  readonly least: number;
  readonly most: number;
  readonly types: readonly (TypeName | undefined)[];
}

/** The function around a place in the script. */
export interface FunctionContext {
  /** What unknown names are looked up in, and what `this` is; both are JavaScript. */
  readonly owner: string;
  readonly self: string;
  readonly declaration?: ClassDeclaration;
  /** The full name of the class around, empty in the script itself. */
  readonly className: string;
  readonly isStatic: boolean;
  readonly returns?: TypeName;
  /** Inside a `switch` that is a value: `yield` ends it. */
  readonly yields?: boolean;
}

/** What all parts of the generator share: names, constants, types. */
export abstract class GeneratorContext {
  protected readonly source: SourceText;
  protected readonly classes: ClassNames;
  protected readonly directMethods = new Map<string, DirectMethod>();
  protected scope = new Scope('script');
  protected context: FunctionContext = { owner: '$s', self: '$s', className: '', isStatic: false };
  protected loops = 0;
  protected switches = 0;
  protected variables: string[] = [];
  /** Every name that may be a variable of the caller. */
  readonly freeNames = new Set<string>();
  /** Some methods have names that are known only at run time. */
  computesMethods = false;
  readonly #constants = new Map<string, string>();
  readonly #patterns = new Map<string, string>();
  readonly #entries = new Map<string, string>();
  /** It may look at its variables as a whole. */
  readonly seesBinding: boolean;
  /** What classes have may be different while it runs. */
  readonly changesClasses: boolean;
  #temporaries = 0;

  constructor(source: SourceText, classes: ClassNames) {
    this.source = source;
    this.classes = classes;
    this.seesBinding = SEES_BINDING.test(source.text);
    this.changesClasses = CHANGES_CLASSES.test(source.text);
  }

  protected abstract expression(node: Expression): string;
  protected abstract functionBody(body: readonly Statement[]): string;
  protected abstract classDefinition(node: ClassDeclaration, name: string): string;
  protected abstract argumentList(args: readonly Argument[]): string;

  protected constantDeclarations(): string {
    const constants = [...this.#constants].map(([code, name]) => `const ${name}=${code};\n`);
    const entries = this.#entries.size === 0 ? '' : `let ${[...this.#entries.values()].join(',')};\n`;
    return [...constants, ...this.#patterns.values(), entries].join('');
  }

  /** The entry of a variable of the script, which is looked up once unless the script can take variables away. */
  protected variableEntry(name: string): string {
    const found = `${SCRIPT_VARIABLES}.get(${JSON.stringify(name)})`;
    if (this.seesBinding) return found;
    const known = this.#entries.get(name) ?? `E${this.#entries.size}`;
    this.#entries.set(name, known);
    return `(${known}??=${found})`;
  }

  /** A text that is going to be used as a regular expression. */
  protected notePattern(node: Expression | undefined): void {
    if (node?.kind !== 'constant' || typeof node.value !== 'string' || this.#patterns.has(node.value)) return;
    const literal = patternLiteral(node.value);
    if (literal !== undefined) this.#patterns.set(node.value, literal);
  }

  /** A value made once per run; the same code twice is one constant. */
  protected constant(code: string): string {
    const known = this.#constants.get(code);
    if (known !== undefined) return known;
    const name = `K${this.#constants.size}`;
    this.#constants.set(code, name);
    return name;
  }

  protected temporary(): string {
    return `$${++this.#temporaries}`;
  }

  /** A variable of the function around, for a value that is needed twice. */
  protected variable(): string {
    const name = this.temporary();
    this.variables.push(name);
    return name;
  }

  protected inScope<T>(kind: 'method' | 'closure' | 'block', body: () => T): T {
    const outer = { scope: this.scope, loops: this.loops, switches: this.switches };
    this.scope = new Scope(kind, outer.scope);
    if (kind !== 'block') {
      this.loops = 0;
      this.switches = 0;
    }
    const result = body();
    this.scope = outer.scope;
    this.loops = outer.loops;
    this.switches = outer.switches;
    return result;
  }

  protected inContext<T>(context: FunctionContext, body: () => T): T {
    const outer = this.context;
    this.context = context;
    const result = body();
    this.context = outer;
    return result;
  }

  protected declareVariable(
    name: string,
    at: number,
    facts: { type?: TypeName | undefined; isFinal?: boolean; isField?: boolean } = {},
  ): Local {
    if (this.scope.isTaken(name)) {
      throw this.source.errorAt(at, `The current scope already contains a variable of the name ${name}`);
    }
    const { type, isFinal = false, isField = false } = facts;
    const typed = type === undefined ? {} : { type };
    const js = `v$${mangle(name)}`;
    return this.scope.declare(name, { js, ...typed, kind: staticKind(type), isFinal, isField });
  }

  /** The runtime's value for a type. @throws GroovySyntaxError when it does not exist */
  protected typeValue(type: TypeName): string {
    const dimensions = type.dimensions + (type.name.match(/\[\]/g)?.length ?? 0);
    const meaning = this.classes.get(
      { ...type, name: type.name.replaceAll('[]', '') },
      this.context.className,
    );
    const value = this.meaningValue(meaning);
    return dimensions === 0 ? value : this.constant(`$.arrayType(${value},${dimensions})`);
  }

  protected meaningValue(meaning: ClassMeaning): string {
    if (meaning.kind === 'declared') return classVariable(meaning.name);
    return this.constant(`$.type(${JSON.stringify(meaning.name)})`);
  }

  /** Conversion to a declared type, nothing where any value will do. */
  protected converted(value: string, type: TypeName | undefined, kind: StaticKind = 'unknown'): string {
    if (type === undefined || isAnything(type)) return value;
    const wanted = staticKind(type);
    if (wanted !== 'unknown' && wanted === kind) return value;
    if (wanted === 'int') return `$.toInt(${value})`;
    if (type.name === 'def' || type.name === 'void') return value;
    return `$.cast(${value},${this.typeValue(type)})`;
  }

  /** The class that an expression names, when it names one and no variable hides it. */
  protected classOf(node: Expression): ClassMeaning | undefined {
    if (node.kind !== 'name' && node.kind !== 'property') return undefined;
    const path = pathText(node)?.replaceAll('[]', '');
    if (path === undefined) return undefined;
    const root = path.split('.')[0]!;
    if (this.scope.find(root) !== undefined) return undefined;
    const meaning = this.classes.find(path, this.context.className);
    if (meaning !== undefined || node.kind === 'name') return meaning;
    return undefined;
  }

  /** `java.x.Y` that names no class will never be a value. */
  protected refuseUnknownClass(node: Expression): void {
    const path = pathText(node);
    if (path === undefined) return;
    const names = path.split('.');
    const isDotted = names.length > 2 && this.classes.isPackageRoot(names[0]!);
    if (!isDotted || this.scope.find(names[0]!) !== undefined) return;
    const capital = names.findIndex((name) => /^\p{Lu}/u.test(name));
    if (capital < 1) return;
    for (let length = capital + 1; length <= names.length; length++) {
      if (this.classes.find(names.slice(0, length).join('.')) !== undefined) return;
    }
    this.classes.missing.report(names.slice(0, capital + 1).join('.'), node.at);
  }

  /** A static member that is known not to exist. */
  protected checkStatic(meaning: ClassMeaning, member: string, isCall: boolean, at: number): void {
    if (meaning.kind !== 'known' || (this.changesClasses && member !== 'new')) return;
    const problem = staticMemberProblem(meaning.name, member, isCall);
    if (problem !== undefined) throw this.source.errorAt(at, problem.text, problem.hint);
  }

  protected free(name: string): string {
    this.freeNames.add(name);
    return JSON.stringify(name);
  }
}

export function classVariable(name: string): string {
  return `C$${mangle(name)}`;
}

export function isAnything(type: TypeName): boolean {
  if (type.dimensions > 0) return false;
  return type.name === 'def' || type.name === 'Object' || type.name === 'java.lang.Object';
}

function staticKind(type: TypeName | undefined): StaticKind {
  if (type === undefined || type.dimensions > 0) return 'unknown';
  if (type.name === 'int') return 'int';
  return type.name === 'boolean' ? 'boolean' : 'unknown';
}
