import { GroovySyntaxError } from '../groovy-syntax-error.ts';
import type { ClassDeclaration, MethodDeclaration, Script, Statement } from '../syntax/ast.ts';
import type { SourceText } from '../syntax/source-text.ts';
import { generateFunctionBody } from './blocks.ts';
import { ClassChecks } from './class-checks.ts';
import { declareClasses, generateClasses } from './class-declarations.ts';
import { generateClass } from './class-definition.ts';
import { ClassNames } from './class-names.ts';
import { typeValue } from './class-references.ts';
import { generateExpression } from './expressions.ts';
import { type GeneratedText, takeMarks } from './generated-text.ts';
import { Generation, type Parts, SCRIPT_VARIABLES } from './generation.ts';
import type { GroovyWarning } from './missing-classes.ts';
import type { NameUses } from './name-uses.ts';
import { generateFunction, isTrailing, parameterShape } from './parameters.ts';
import { mangle } from './scope.ts';
import { generateStatement } from './statements.ts';

export interface GeneratedScript extends GeneratedText {
  /** The names that may be variables of the caller; `all` when they can only be known at run time. */
  readonly freeNames: ReadonlySet<string> | 'all';
  /** Some methods have names that are known only at run time. */
  readonly computesMethods: boolean;
  readonly warnings: readonly GroovyWarning[];
  readonly uses: NameUses;
}

/** The variable of the generated script that holds the runtime of this run and the caller's variables. */
export const ENTRY = 'groovy$';

const PARTS: Parts = {
  expression: generateExpression,
  statement: generateStatement,
  classDefinition: generateClass,
};

/** @throws GroovySyntaxError */
export function generateScript(script: Script, source: SourceText): GeneratedScript {
  const classes = new ClassNames(source, script);
  const { missing } = classes;
  const generation = new Generation(source, classes, PARTS);
  const marked = generated(() => generateProgram(generation, script), missing.problems);
  const { freeNames, computesMethods, seesBinding } = generation;
  const { warnings } = missing;
  return {
    ...takeMarks(marked, source),
    freeNames: seesBinding ? 'all' : freeNames,
    computesMethods,
    warnings,
    // What sees all its variables may make some.
    uses: seesBinding ? { ...generation.notes.uses, free: [] } : generation.notes.uses,
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

function generateProgram(g: Generation, { body }: Script): string {
  const classes = body.filter((node): node is ClassDeclaration => node.kind === 'class');
  const methods = body.filter((node): node is MethodDeclaration => node.kind === 'method');
  const statements = body.filter(({ kind }) => kind !== 'class' && kind !== 'method');
  const declared = declareClasses(g, classes);
  new ClassChecks(g.classes, g.source).checkSignatures(methods, '');
  g.methodNames = new Set(methods.map(({ name }) => name));
  declareDirectMethods(g, methods);
  const fields = declareFields(g, statements);
  const definitions = generateClasses(g, declared);
  const functions = methods.map((method, index) => scriptMethod(g, method, index));
  const run = generateFunctionBody(g, statements);
  const shared = g.variables.length === 0 ? '' : `let ${g.variables.join(',')};\n`;
  return `return ${ENTRY}.run(($,$s)=>{"use strict";const ${SCRIPT_VARIABLES}=$s.binding.variables.pairs;
${g.constantDeclarations()}${fields}${shared}${definitions}${functions.join('')}return ()=>{
${run}};
});`;
}

/** `@Field` variables belong to the script, so they are declared around everything. */
function declareFields(g: Generation, statements: readonly Statement[]): string {
  return statements
    .flatMap((node) => (node.kind === 'variable' && node.isField ? node.variables : []))
    .map(({ name, type, at }) => `let ${g.declareVariable(name, at, { type, isField: true }).js}=null;\n`)
    .join('');
}

function declareDirectMethods(g: Generation, methods: readonly MethodDeclaration[]): void {
  const byName = Map.groupBy(methods, ({ name }) => name);
  for (const { name, parameters } of methods) {
    const isOnly = byName.get(name)!.length === 1;
    const last = parameters.at(-1);
    const defaults = parameters.map(({ byDefault }) => byDefault !== undefined);
    if (!isOnly || !isTrailing(defaults) || last?.isRest || (last?.type?.dimensions ?? 0) > 0) continue;
    g.directMethods.set(name, {
      js: `M$${mangle(name)}`,
      least: parameters.filter(({ byDefault }) => byDefault === undefined).length,
      most: parameters.length,
      types: parameters.map(({ type }) => (type === undefined || type.name === 'Object' ? undefined : type)),
    });
  }
}

function scriptMethod(g: Generation, node: MethodDeclaration, index: number): string {
  const { name, parameters, returns, at } = node;
  if (node.body === undefined) throw g.source.errorAt(at, `The method ${name} has no body`);
  if (returns !== undefined) typeValue(g, returns);
  const direct = g.directMethods.get(name);
  const js = direct?.js ?? `M$${mangle(name)}$${index}`;
  const own = { ...g.context, ...(returns === undefined ? {} : { returns }) };
  const body = node.body;
  const code = g.inContext(own, () =>
    g.inScope('method', () => generateFunction(g, parameters, '', () => generateFunctionBody(g, body))),
  );
  const run = node.modifiers.has('Memoized') ? `$.memoized(${code},false)` : code;
  return `const ${js}=${run};\n$.defineMethod($s,${JSON.stringify(name)},${js},${parameterShape(g, parameters)});\n`;
}
