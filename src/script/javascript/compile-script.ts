import type { ReturnStatement } from 'acorn';
import { COMPLETION, keepCompletionValue } from './completion-value.ts';
import { functionNames, isStrict, lexicalNames, variableNames } from './declared-names.ts';
import type { ScriptProgram } from './declaring-parser.ts';
import type { ScriptPosition } from './failures.ts';
import { parseScript } from './parse-script.ts';
import type { ModuleSource, ScriptSource } from './script-source.ts';
import { SourceEdits, type TextPosition } from './source-edits.ts';

/** The name of the script that a run is about: a text is compiled once, whatever it is called where it is used. */
export const SCRIPT_NAME = '<script>';

/** A script as the text of one function. Nothing of it has been shown to QuickJS yet. */
export interface CompiledScript {
  /** Unique in this thread; what instances know it by. */
  readonly id: number;
  /** What QuickJS calls it: of a module its own name, of a script that of all scripts. */
  readonly name: string;
  /** The text as its author wrote it. */
  readonly source: string;
  /** The bindings that it is called with, after what comes first in every call. */
  readonly parameters: readonly string[];
  /** A parenthesised function expression whose body begins on line 2. */
  readonly functionText: string;
  /**
   * The same body as a program. That QuickJS takes it for a complete program is the proof that the body cannot
   * close the function around it, even where the parser here and the one there should disagree.
   */
  readonly programText: string;
  /** A module that is evaluated once per instance and kept, because it is the same in every run. */
  readonly isShared: boolean;
  /** The author's place for a place in `functionText`. */
  positionOf(place: TextPosition): ScriptPosition;
}

/** What is known of a source before the names of its bindings are. */
export interface ScriptAnalysis {
  /** The bindings that become parameters, sorted: usable as a variable, mentioned by the script and not hidden. */
  parametersFor(bindings: Iterable<string>): string[];
  compile(name: string, parameters: readonly string[]): CompiledScript;
}

/** @throws ScriptSyntaxError */
export function analyzeScript(script: ScriptSource): ScriptAnalysis {
  const { program, text, names } = parseScript(script);
  const edits = new SourceEdits(text);
  const statements = program.body;
  if (names.has('load')) shareVariables(program, edits);
  const returns = keepCompletionValue(program, edits);
  const body = edits.apply();
  const programText = edits.apply(returns.map(throwInstead));
  const hidden = new Set([...lexicalNames(statements), COMPLETION, SHARE]);
  return {
    parametersFor: (bindings) => variablesAmong(bindings, names, hidden, isStrict(statements)),
    compile: (name, parameters) =>
      toFunction({
        name,
        source: script.source,
        parameters,
        header: [COMPLETION, SHARE, ...parameters],
        body: `${body}\nreturn ${COMPLETION};`,
        programText,
        isShared: false,
        edits,
      }),
  };
}

/** The function that is told of a script's variables. */
const SHARE = 'svc$shareVariables';

/** Lets a file that the script loads read and assign what the script declares at its top level. */
function shareVariables(program: ScriptProgram, edits: SourceEdits): void {
  const statements = program.body;
  const declared = [
    ...new Set([...variableNames(statements), ...functionNames(statements), ...lexicalNames(statements)]),
  ];
  if (declared.length === 0) return;
  const accessors = declared.map(
    (name) => `get ${name}(){return ${name}},set ${name}(svc$value){${name}=svc$value}`,
  );
  const directive = statements.findLast(
    (node) => node.type === 'ExpressionStatement' && node.directive !== undefined,
  );
  edits.insert(directive?.end ?? 0, `;${SHARE}({${accessors.join()}});`);
}

const MODULE_PARAMETERS = ['exports', 'module', 'require'];

/**
 * A CommonJS module: its value is what it leaves in `module.exports`. It sees the bindings of the script that
 * requires it, unless it is shared. @throws ScriptSyntaxError
 */
export function analyzeModule(module: ModuleSource): ScriptAnalysis {
  const { program, text, names } = parseScript(module);
  const edits = new SourceEdits(text);
  const returns = keepCompletionValue(program, new SourceEdits(text));
  const programText = edits.apply(returns.map(throwInstead));
  const statements = program.body;
  const hidden = new Set([...MODULE_PARAMETERS, ...lexicalNames(statements), ...variableNames(statements)]);
  const isShared = module.isShared === true;
  return {
    parametersFor: (bindings) =>
      isShared ? [] : variablesAmong(bindings, names, hidden, isStrict(statements)),
    compile: (name, parameters) =>
      toFunction({
        name,
        source: module.source,
        parameters,
        header: [...MODULE_PARAMETERS, ...parameters],
        body: text,
        programText,
        isShared,
        edits,
      }),
  };
}

let lastId = 0;

function toFunction(parts: {
  name: string;
  source: string;
  parameters: readonly string[];
  header: readonly string[];
  body: string;
  programText: string;
  isShared: boolean;
  edits: SourceEdits;
}): CompiledScript {
  const { name, source, parameters, header, body, programText, isShared, edits } = parts;
  return {
    id: ++lastId,
    name,
    source,
    parameters,
    functionText: `(function(${header.join(',')}){\n${body}\n})`,
    programText,
    isShared,
    positionOf: ({ line, column }) => ({
      fileName: name,
      ...edits.toOriginal({ line: Math.max(1, line - 1), column }),
    }),
  };
}

/** A program may not return, but throwing is as good for a text that only has to be parsed. */
function throwInstead(node: ReturnStatement) {
  return { from: node.start, to: node.start + 'return'.length, text: node.argument ? 'throw' : 'throw 0' };
}

export function variablesAmong(
  bindings: Iterable<string>,
  names: ReadonlySet<string>,
  hidden: ReadonlySet<string>,
  strict: boolean,
): string[] {
  // What a direct eval mentions cannot be known.
  const mentionsAll = names.has('eval');
  const variables = [];
  for (const name of bindings) {
    if ((mentionsAll || names.has(name)) && !hidden.has(name) && isVariableName(name, strict)) {
      variables.push(name);
    }
  }
  return variables.sort();
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const RESERVED = new Set(
  (
    'arguments break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if import in instanceof new null return super switch this throw true try ' +
    'typeof var void while with'
  ).split(' '),
);
const RESERVED_WHEN_STRICT = new Set(
  'await implements interface let package private protected public static yield'.split(' '),
);

function isVariableName(name: string, strict: boolean): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name) && !(strict && RESERVED_WHEN_STRICT.has(name));
}
