import type { ClassDeclaration, Expression, Statement, TypeName } from '../syntax/ast.ts';
import type { SourceText } from '../syntax/source-text.ts';
import type { ClassNames } from './class-names.ts';
import { NoteUses } from './name-uses.ts';
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

/** What contains each other in a script; `generate-script.ts` hands them in. */
export interface Parts {
  expression(g: Generation, node: Expression): string;
  statement(g: Generation, node: Statement, isTail: boolean): string;
  classDefinition(g: Generation, node: ClassDeclaration, name: string): string;
}

/** The making of one script, as all parts of the generator share it: where it stands, names, constants. */
export class Generation {
  readonly #parts: Parts;
  readonly source: SourceText;
  readonly classes: ClassNames;
  readonly directMethods = new Map<string, DirectMethod>();
  /** The methods that the script declares. */
  methodNames: ReadonlySet<string> = new Set();
  scope = new Scope('script');
  context: FunctionContext = { owner: '$s', self: '$s', className: '', isStatic: false };
  loops = 0;
  switches = 0;
  variables: string[] = [];
  labels: string[] = [];
  /** The label in front of the loop that follows. */
  loopLabel = '';
  /** Every name that may be a variable of the caller. */
  readonly freeNames = new Set<string>();
  readonly notes: NoteUses;
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

  constructor(source: SourceText, classes: ClassNames, parts: Parts) {
    this.#parts = parts;
    this.source = source;
    this.classes = classes;
    this.notes = new NoteUses(source.text);
    this.seesBinding = SEES_BINDING.test(source.text);
    this.changesClasses = CHANGES_CLASSES.test(source.text);
  }

  /** Whether the script has a method of that name, or may have one when it runs. */
  mayHaveMethod(name: string): boolean {
    const names = this.methodNames;
    return this.changesClasses || names.has(name) || names.has('methodMissing') || names.has('invokeMethod');
  }

  /** A value as JavaScript. */
  expression(node: Expression): string {
    return this.#parts.expression(this, node);
  }

  /** The code of a statement; in a tail position it gives the value of its function. */
  statement(node: Statement, isTail: boolean): string {
    return this.#parts.statement(this, node, isTail);
  }

  /** What the runtime needs to make the class, which has the full name. */
  classDefinition(node: ClassDeclaration, name: string): string {
    return this.#parts.classDefinition(this, node, name);
  }

  constantDeclarations(): string {
    const constants = [...this.#constants].map(([code, name]) => `const ${name}=${code};\n`);
    const entries = this.#entries.size === 0 ? '' : `let ${[...this.#entries.values()].join(',')};\n`;
    return [...constants, ...this.#patterns.values(), entries].join('');
  }

  /** The entry of a variable of the script, which is looked up once unless the script can take variables away. */
  variableEntry(name: string): string {
    const found = `${SCRIPT_VARIABLES}.get(${JSON.stringify(name)})`;
    if (this.seesBinding) return found;
    const known = this.#entries.get(name) ?? `E${this.#entries.size}`;
    this.#entries.set(name, known);
    return `(${known}??=${found})`;
  }

  /** A text that is going to be used as a regular expression. */
  notePattern(node: Expression | undefined): void {
    if (node?.kind !== 'constant' || typeof node.value !== 'string' || this.#patterns.has(node.value)) return;
    const literal = patternLiteral(node.value);
    if (literal !== undefined) this.#patterns.set(node.value, literal);
  }

  /** A value made once per run; the same code twice is one constant. */
  constant(code: string): string {
    const known = this.#constants.get(code);
    if (known !== undefined) return known;
    const name = `K${this.#constants.size}`;
    this.#constants.set(code, name);
    return name;
  }

  temporary(): string {
    return `$${++this.#temporaries}`;
  }

  /** A variable of the function around, for a value that is needed twice. */
  variable(): string {
    const name = this.temporary();
    this.variables.push(name);
    return name;
  }

  inScope<T>(kind: 'method' | 'closure' | 'block', body: () => T): T {
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

  inContext<T>(context: FunctionContext, body: () => T): T {
    const outer = this.context;
    this.context = context;
    const result = body();
    this.context = outer;
    return result;
  }

  declareVariable(
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

  free(name: string): string {
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

export function staticKind(type: TypeName | undefined): StaticKind {
  if (type === undefined || type.dimensions > 0) return 'unknown';
  if (type.name === 'int') return 'int';
  return type.name === 'boolean' ? 'boolean' : 'unknown';
}
