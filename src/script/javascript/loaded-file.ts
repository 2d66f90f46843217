import type { Statement } from 'acorn';
import { isStrict, lexicalNames, variableNames, variablesAmong } from './compile-script.ts';
import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';

/** A file that a script loads, ready for an eval in the global scope. */
export interface LoadedFile {
  readonly text: string;
  /** Those of the script's bindings that it mentions, sorted. */
  readonly bindings: readonly string[];
}

/**
 * What `load` evaluates: all that the file declares becomes global, also what `let`, `const` and `class` declare,
 * which would end with the eval,
 * as everything does in strict code.
 *
 * @throws ScriptSyntaxError
 */
export function readLoadedFile(file: ScriptSource, bindings: Iterable<string>): LoadedFile {
  const { program, text, names } = parseScript(file);
  const statements = program.body as Statement[];
  const lexical = lexicalNames(statements);
  const others = [...variableNames(statements), ...functionNames(statements)];
  const strict = isStrict(statements);
  const local = strict ? [...lexical, ...others] : lexical;
  return {
    text: `${text}\n;${local.map((name) => `globalThis.${name}=${name};`).join('')}`,
    bindings: variablesAmong(bindings, names, new Set([...lexical, ...others]), strict),
  };
}

function functionNames(statements: readonly Statement[]): string[] {
  return statements.flatMap((node) => (node.type === 'FunctionDeclaration' ? [node.id.name] : []));
}
