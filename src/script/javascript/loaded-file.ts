import { variablesAmong } from './compile-script.ts';
import { functionNames, isStrict, lexicalNames, variableNames } from './declared-names.ts';
import type { ScriptPosition } from './failures.ts';
import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';
import type { TextPosition } from './source-edits.ts';

/** A file that a script loads, ready for an eval in the global scope. */
export interface LoadedFile {
  readonly text: string;
  /** The names of the functions that it declares at its top level. */
  readonly functions: readonly string[];
  /** The bindings of the script that it mentions, sorted. */
  readonly bindings: readonly string[];
}

/**
 * What `load` evaluates: all that the file declares becomes global, also what `let`, `const` and `class` declare,
 * which would end with the eval, as
 * everything does in strict code.
 *
 * @throws ScriptSyntaxError
 */
export function readLoadedFile(file: ScriptSource, bindings: Iterable<string>): LoadedFile {
  const { program, text, names } = parseScript(file);
  const statements = program.body;
  const lexical = lexicalNames(statements);
  const functions = functionNames(statements);
  const others = [...variableNames(statements), ...functions];
  const strict = isStrict(statements);
  const local = strict ? [...lexical, ...others] : lexical;
  return {
    text: `${text}\n;${local.map((name) => `globalThis.${name}=${name};`).join('')}`,
    functions,
    bindings: variablesAmong(bindings, names, new Set([...lexical, ...others]), strict),
  };
}

/** QuickJS knows code of an eval by no name but this. */
const EVALUATED = '<input>';
/** Lines in front of all files, so that code which a script evaluates itself is not taken for one of them. */
const LINES_BEFORE = 1000;

/** The files that one run has loaded. Each is evaluated at lines of its own, which tells them apart in stack traces. */
export class LoadedFiles {
  readonly #files: { readonly name: string; readonly text: string; readonly before: number }[] = [];
  #lines = LINES_BEFORE;

  /** The text to evaluate instead of the file's. */
  place(name: string, text: string): string {
    let file = this.#files.find((other) => other.name === name && other.text === text);
    if (file === undefined) {
      file = { name, text, before: this.#lines };
      this.#files.push(file);
      this.#lines += text.split('\n').length;
    }
    return '\n'.repeat(file.before) + text;
  }

  sourceOf(name: string): string | undefined {
    return this.#files.find((file) => file.name === name)?.text;
  }

  positionOf(fileName: string, { line, column }: TextPosition): ScriptPosition | undefined {
    if (fileName !== EVALUATED) return undefined;
    const file = this.#files.findLast(({ before }) => before < line);
    return file && { fileName: file.name, line: line - file.before, column };
  }
}
