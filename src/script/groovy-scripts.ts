import { LRUCache } from 'lru-cache';
import { type CompiledGroovy, compileGroovy, GroovyHost, GroovySyntaxError } from '#groovy/index.ts';
import { getTimeZone, isTimeZone } from '#time/index.ts';
import { ScriptSyntaxError } from './javascript/index.ts';
import type { ScriptSource } from './javascript/script-source.ts';

/** Characters of the scripts that are kept; what is made of each is some times as long. */
const MOST_CHARACTERS = 4_194_304;
/** Characters that are counted for each script besides its own: even a short one costs something. */
const LEAST_CHARACTERS = 256;

/** The compiled scripts of this thread: each is parsed once, whether it is run, checked, or made a template of. */
const scripts = new LRUCache<string, CompiledGroovy>({
  maxSize: MOST_CHARACTERS,
  sizeCalculation: (_compiled, source) => source.length + LEAST_CHARACTERS,
});

/** @throws GroovySyntaxError */
function compileOnce(script: ScriptSource): CompiledGroovy {
  let compiled = scripts.get(script.source);
  if (compiled === undefined) {
    compiled = compileGroovy(script);
    scripts.set(script.source, compiled);
  }
  return compiled;
}

/** All that keeps it from compiling, in the order of the source. */
export function groovyMistakes(script: ScriptSource): readonly GroovySyntaxError[] {
  try {
    compileOnce(script);
    return [];
  } catch (error) {
    if (error instanceof GroovySyntaxError) return error.mistakes;
    throw error;
  }
}

/** Nothing of the script runs. @throws ScriptSyntaxError */
export function compiledGroovy(script: ScriptSource): CompiledGroovy {
  try {
    return compileOnce(script);
  } catch (error) {
    throw error instanceof GroovySyntaxError ? new ScriptSyntaxError(error.message, error) : error;
  }
}

export const groovyHost = new GroovyHost({ isTimeZone, getTimeZone, compile: compileOnce });
