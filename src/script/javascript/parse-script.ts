import { getLineInfo, type Options } from 'acorn';
import { parseProgram, type ScriptProgram } from './declaring-parser.ts';
import { ScriptSyntaxError } from './failures.ts';
import type { ScriptSource } from './script-source.ts';

export interface ParsedScript {
  readonly program: ScriptProgram;
  /** The source with HTML-like comments and the hashbang blanked out; every character keeps its place. */
  readonly text: string;
  /** Every name that occurs, of variables and of properties alike. */
  readonly names: ReadonlySet<string>;
}

/** The engine has less room than the parser here: what it cannot compile is told as what it is, with its place. */
const DEEPEST = 200;
const OPENING: ReadonlySet<string> = new Set(['(', '[', '{', '${']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

const LANGUAGE: Options = { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true };

/**
 * @param mostTokens where the text is refused; those eight brackets deep count twice, and so on. Default: nowhere
 * @throws ScriptSyntaxError
 */
export function parseScript(
  script: ScriptSource,
  mostTokens: number = Number.POSITIVE_INFINITY,
): ParsedScript {
  let tokens = 0;
  const names = new Set<string>();
  const foreignComments: { start: number; end: number }[] = [];
  /** Where each of the brackets begins that are open. */
  const open: number[] = [];
  const program = parseWith(script, open, {
    ...LANGUAGE,
    onToken: (token) => {
      // A variable is noted in all the blocks around it.
      tokens += 1 + Math.floor(open.length / 8);
      if (tokens > mostTokens) throw tooLong(script, token.start, mostTokens);
      const { label } = token.type;
      if (OPENING.has(label)) open.push(token.start);
      else if (CLOSING.has(label)) open.pop();
      if (open.length > DEEPEST) throw tooDeep(script, token.start);
      if (label === 'name') names.add(String((token as { value?: unknown }).value));
    },
    onComment: (_isBlock, _text, start, end) => {
      if (script.source[start] !== '/') foreignComments.push({ start, end });
    },
  });
  return { program, text: blanked(script.source, foreignComments), names };
}

/** @param parts in their order; looked ahead at, one may be told of twice */
function blanked(source: string, parts: readonly { readonly start: number; readonly end: number }[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of parts) {
    if (start < at) continue;
    pieces.push(source.slice(at, start), ' '.repeat(end - start));
    at = end;
  }
  return pieces.join('') + source.slice(at);
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

function parseWith(script: ScriptSource, open: readonly number[], options: Options): ScriptProgram {
  try {
    return parseProgram(script.source, options);
  } catch (error) {
    if (error instanceof ScriptSyntaxError) throw error;
    const { message, loc } = error as { message: string; loc?: { line: number; column: number } };
    if (error instanceof RangeError || message.startsWith('Not enough stack space')) {
      throw tooDeep(script, 0);
    }
    if (loc === undefined) throw error;
    const text = isAwaitOutsideFunction(script)
      ? 'A script cannot await at its top level; resource functions return their results directly'
      : message
          .replace(/ \(\d+:\d+\)$/, '')
          .replace("'sourceType: module'", 'modules; a script uses require');
    throw new ScriptSyntaxError(
      text + neverClosed(script, loc, open.at(-1)),
      at(script, loc.line, loc.column + 1),
    );
  }
}

/** What ends too early says nothing of the place of the mistake; the bracket that is left open does. */
function neverClosed(
  { source }: ScriptSource,
  { line, column }: { readonly line: number; readonly column: number },
  opening: number | undefined,
): string {
  const end = getLineInfo(source, source.length);
  if (opening === undefined || line !== end.line || column !== end.column) return '';
  const begin = getLineInfo(source, opening);
  return `: the '${source[opening]}' of line ${begin.line}, column ${begin.column + 1} is never closed`;
}

function tooDeep(script: ScriptSource, offset: number): ScriptSyntaxError {
  const { line, column } = getLineInfo(script.source, offset);
  return new ScriptSyntaxError('The script is nested too deeply', at(script, line, column + 1));
}

function tooLong(script: ScriptSource, offset: number, most: number): ScriptSyntaxError {
  const { line, column } = getLineInfo(script.source, offset);
  const said = `The script has more than ${most} words and signs, deep ones counted several times: such a one must be a file of the project`;
  return new ScriptSyntaxError(said, at(script, line, column + 1));
}

function isAwaitOutsideFunction(script: ScriptSource): boolean {
  if (!script.source.includes('await')) return false;
  try {
    parseProgram(script.source, { ...LANGUAGE, allowAwaitOutsideFunction: true });
    return true;
  } catch {
    return false;
  }
}

function at(script: ScriptSource, line: number, column: number) {
  return { fileName: script.name, line, column };
}
