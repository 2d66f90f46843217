import type { Findings } from './diagnosis.ts';
import { nameUses, parseScript, requiredModules, ScriptSyntaxError } from './javascript/index.ts';
import type { ScriptSource } from './javascript/script-source.ts';
import type { ScriptLanguage } from './script-reference.ts';

const NOT_COMPILED = 'SCRIPT_NOT_COMPILED';

/** What the compiler of the language says of a text; nothing of it runs. */
export function findMistakes(script: ScriptSource, language: ScriptLanguage): Findings | Promise<Findings> {
  return language === 'groovy' ? inGroovy(script) : inJavaScript(script);
}

function inJavaScript(script: ScriptSource): Findings {
  try {
    const { program } = parseScript(script);
    return { errors: [], uses: nameUses(program), modules: requiredModules(program) };
  } catch (error) {
    // It compiles, and nobody can look at all of it.
    if (error instanceof RangeError) return { errors: [] };
    if (!(error instanceof ScriptSyntaxError)) throw error;
    const { message, line, column } = error;
    return { errors: [{ id: NOT_COMPILED, message, line, column }] };
  }
}

async function inGroovy(script: ScriptSource): Promise<Findings> {
  const { compiledGroovy, groovyMistakes } = await import('./groovy-scripts.ts');
  const mistakes = groovyMistakes(script);
  if (mistakes.length > 0) {
    return {
      errors: mistakes.map(({ message, line, column, hint }) => ({
        id: NOT_COMPILED,
        // The place has members of its own.
        message: message.replace(/ @ line \d+, column \d+\.[\s\S]*$/, ''),
        line,
        column,
        ...(hint === undefined ? {} : { hint }),
      })),
    };
  }
  const { warnings, uses } = compiledGroovy(script);
  return {
    errors: [],
    warnings: warnings.map((warning) => ({ id: 'SCRIPT_GROOVY_DOUBT', ...warning })),
    uses,
  };
}
