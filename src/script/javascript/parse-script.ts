import { type Options, type Program, parse } from 'acorn';
import { ScriptSyntaxError } from './failures.ts';
import type { ScriptSource } from './script-source.ts';

export interface ParsedScript {
  readonly program: Program;
  /** The source with HTML-like comments and the hashbang blanked out; every character keeps its place. */
  readonly text: string;
  /** Every name that occurs, of variables and of properties alike. */
  readonly names: ReadonlySet<string>;
}

const LANGUAGE: Options = { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true };

/** @throws ScriptSyntaxError */
export function parseScript(script: ScriptSource): ParsedScript {
  const names = new Set<string>();
  const foreignComments: { start: number; end: number }[] = [];
  const program = parseWith(script, {
    ...LANGUAGE,
    onToken: (token) => {
      if (token.type.label === 'name') names.add(String((token as { value?: unknown }).value));
    },
    onComment: (_isBlock, _text, start, end) => {
      if (script.source[start] !== '/') foreignComments.push({ start, end });
    },
  });
  let text = script.source;
  for (const { start, end } of foreignComments) {
    text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
  }
  return { program, text, names };
}

/** Where the text is no script, and why; undefined when it is one. */
export function findSyntaxError(script: ScriptSource): ScriptSyntaxError | undefined {
  try {
    parseScript(script);
    return undefined;
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return error;
    throw error;
  }
}

function parseWith(script: ScriptSource, options: Options): Program {
  try {
    return parse(script.source, options);
  } catch (error) {
    const { message, loc } = error as { message: string; loc?: { line: number; column: number } };
    if (error instanceof RangeError || message.startsWith('Not enough stack space')) {
      throw new ScriptSyntaxError('The script is nested too deeply', at(script, 1, 1));
    }
    if (loc === undefined) throw error;
    const text = isAwaitOutsideFunction(script)
      ? 'A script cannot await at its top level; resource functions return their results directly'
      : message
          .replace(/ \(\d+:\d+\)$/, '')
          .replace("'sourceType: module'", 'modules; a script uses require');
    throw new ScriptSyntaxError(text, at(script, loc.line, loc.column + 1));
  }
}

function isAwaitOutsideFunction(script: ScriptSource): boolean {
  if (!script.source.includes('await')) return false;
  try {
    parse(script.source, { ...LANGUAGE, allowAwaitOutsideFunction: true });
    return true;
  } catch {
    return false;
  }
}

function at(script: ScriptSource, line: number, column: number) {
  return { fileName: script.name, line, column };
}
