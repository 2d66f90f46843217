import { GroovySyntaxError } from '../groovy-syntax-error.ts';
import { staticMemberNames } from '../runtime/static-members.ts';
import type { ClassDeclaration, MethodDeclaration, Script, Statement } from '../syntax/ast.ts';
import type { SourceText } from '../syntax/source-text.ts';
import { ClassChecks } from './class-checks.ts';
import { ClassGenerator } from './class-generator.ts';
import { ClassNames } from './class-names.ts';
import { type GeneratedText, takeMarks } from './generated-text.ts';
import { SCRIPT_VARIABLES } from './generator-context.ts';
import type { GroovyWarning } from './missing-classes.ts';
import { mangle } from './scope.ts';
import { isTrailing } from './value-generator.ts';

export interface GeneratedScript extends GeneratedText {
  /** The names that may be variables of the caller; `all` when they can only be known at run time. */
  readonly freeNames: ReadonlySet<string> | 'all';
  /** Some methods have names that are known only at run time. */
  readonly computesMethods: boolean;
  readonly warnings: readonly GroovyWarning[];
}

/** The variable of the generated script that holds the runtime of this run and the caller's variables. */
export const ENTRY = 'groovy$';

/** @throws GroovySyntaxError */
export function generateScript(script: Script, source: SourceText): GeneratedScript {
  const classes = new ClassNames(source, script);
  const { missing } = classes;
  const generator = new ScriptGenerator(source, classes);
  const marked = generated(() => generator.generate(script), missing.problems);
  const { freeNames, computesMethods, seesBinding } = generator;
  const { warnings } = missing;
  return {
    ...takeMarks(marked, source),
    freeNames: seesBinding ? 'all' : freeNames,
    computesMethods,
    warnings,
  };
}

/** What is missing is told together with the mistake that ended the work. */
function generated(work: () => string, problems: readonly GroovySyntaxError[]): string {
  try {
    const text = work();
    if (problems.length === 0) return text;
  } catch (error) {
    if (!(error instanceof GroovySyntaxError)) throw error;
    throw GroovySyntaxError.ofAll([...problems, error]);
  }
  throw GroovySyntaxError.ofAll(problems);
}

class ScriptGenerator extends ClassGenerator {
  generate({ body }: Script): string {
    const classes = body.filter((node): node is ClassDeclaration => node.kind === 'class');
    const methods = body.filter((node): node is MethodDeclaration => node.kind === 'method');
    const statements = body.filter(({ kind }) => kind !== 'class' && kind !== 'method');
    const declared = this.declareClasses(classes);
    new ClassChecks(this.classes, this.source).checkSignatures(methods, '');
    this.#declareDirectMethods(methods);
    const fields = this.#declareFields(statements);
    const definitions = this.classDefinitions(declared);
    const functions = methods.map((method, index) => this.#scriptMethod(method, index));
    const run = this.functionBody(statements);
    const shared = this.variables.length === 0 ? '' : `let ${this.variables.join(',')};\n`;
    return `return ${ENTRY}.run(($,$s)=>{"use strict";const ${SCRIPT_VARIABLES}=$s.binding.variables.pairs;
${this.constantDeclarations()}${fields}${shared}${definitions}${functions.join('')}return ()=>{
${run}};
});`;
  }

  protected override isStaticMember(className: string, member: string, isCall: boolean): boolean {
    return staticMemberNames(className, isCall).has(member);
  }

  /** `@Field` variables belong to the script, so they are declared around everything. */
  #declareFields(statements: readonly Statement[]): string {
    return statements
      .flatMap((node) => (node.kind === 'variable' && node.isField ? node.variables : []))
      .map(
        ({ name, type, at }) => `let ${this.declareVariable(name, at, { type, isField: true }).js}=null;\n`,
      )
      .join('');
  }

  #declareDirectMethods(methods: readonly MethodDeclaration[]): void {
    for (const { name, parameters } of methods) {
      const isOnly = methods.filter((other) => other.name === name).length === 1;
      const last = parameters.at(-1);
      const defaults = parameters.map(({ byDefault }) => byDefault !== undefined);
      if (!isOnly || !isTrailing(defaults) || last?.isRest || (last?.type?.dimensions ?? 0) > 0) continue;
      this.directMethods.set(name, {
        js: `M$${mangle(name)}`,
        least: parameters.filter(({ byDefault }) => byDefault === undefined).length,
        most: parameters.length,
        types: parameters.map(({ type }) =>
          type === undefined || type.name === 'Object' ? undefined : type,
        ),
      });
    }
  }

  #scriptMethod(node: MethodDeclaration, index: number): string {
    const { name, parameters, returns, at } = node;
    if (node.body === undefined) throw this.source.errorAt(at, `The method ${name} has no body`);
    if (returns !== undefined) this.typeValue(returns);
    const direct = this.directMethods.get(name);
    const js = direct?.js ?? `M$${mangle(name)}$${index}`;
    const own = { ...this.context, ...(returns === undefined ? {} : { returns }) };
    const body = node.body;
    const code = this.inContext(own, () =>
      this.inScope('method', () => this.parameterized(parameters, '', () => this.functionBody(body))),
    );
    const run = node.modifiers.has('Memoized') ? `$.memoized(${code},false)` : code;
    return `const ${js}=${run};\n$.defineMethod($s,${JSON.stringify(name)},${js},${this.shape(parameters)});\n`;
  }
}
