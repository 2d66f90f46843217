import { variableNames } from './declared-names.ts';
import { ScriptSyntaxError } from './failures.ts';
import { parseScript } from './parse-script.ts';

/** The names that a script declares with `var` for its whole text, in blocks and loops too, but not in functions. */
export function hoistedNames(source: string): string[] {
  try {
    const { program } = parseScript({ name: 'script', source });
    return [...new Set(variableNames(program.body))];
  } catch (error) {
    // Whoever runs the script is told.
    if (error instanceof ScriptSyntaxError) return [];
    throw error;
  }
}
