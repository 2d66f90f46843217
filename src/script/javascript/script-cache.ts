import { LRUCache } from 'lru-cache';
import {
  analyzeModule,
  analyzeScript,
  type CompiledScript,
  SCRIPT_NAME,
  type ScriptAnalysis,
} from './compile-script.ts';
import type { ModuleSource, ScriptSource } from './script-source.ts';

/** Characters of the scripts that are kept; what is made of each is some times as long. */
const MOST_CHARACTERS = 4_194_304;
/** Characters that are counted for each script besides its own: even a short one costs something. */
const LEAST_CHARACTERS = 256;
/** One source is asked for with few sets of binding names; more come from callers that make names up. */
const MOST_VARIANTS = 20;

interface CachedSource {
  readonly analysis: ScriptAnalysis;
  readonly variants: LRUCache<string, CompiledScript>;
  /** The same by all bindings that were given, which spares finding out again which of them it mentions. */
  readonly byBindings: LRUCache<string, CompiledScript>;
}

/** Scripts parsed and rewritten once; keyed by the text itself, whose hash V8 keeps with the string. */
export class ScriptCache {
  readonly #scripts = newCache();
  readonly #modules = newCache();

  /** @throws ScriptSyntaxError */
  getScript(script: ScriptSource, bindings: readonly string[]): CompiledScript {
    return getVariant(this.#scripts, script, SCRIPT_NAME, bindings, analyzeScript);
  }

  /** @throws ScriptSyntaxError */
  getModule(module: ModuleSource, bindings: readonly string[]): CompiledScript {
    return getVariant(this.#modules, module, module.name, bindings, analyzeModule);
  }
}

function newCache(): LRUCache<string, CachedSource> {
  return new LRUCache({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_cached, source) => source.length + LEAST_CHARACTERS,
  });
}

function getVariant<T extends ScriptSource>(
  cache: LRUCache<string, CachedSource>,
  script: T,
  name: string,
  bindings: readonly string[],
  analyze: (script: T) => ScriptAnalysis,
): CompiledScript {
  let cached = cache.get(script.source);
  if (cached === undefined) {
    cached = {
      analysis: analyze(script),
      variants: new LRUCache({ max: MOST_VARIANTS }),
      byBindings: new LRUCache({ max: MOST_VARIANTS }),
    };
    cache.set(script.source, cached);
  }
  // With the count, names that hold the separator cannot pass for others that are variables.
  const given = `${bindings.length}\0${bindings.join('\0')}\0${name}`;
  let compiled = cached.byBindings.get(given);
  if (compiled === undefined) {
    compiled = compileVariant(cached, name, bindings);
    cached.byBindings.set(given, compiled);
  }
  return compiled;
}

function compileVariant(cached: CachedSource, name: string, bindings: readonly string[]): CompiledScript {
  const parameters = cached.analysis.parametersFor(bindings);
  const key = `${parameters.join()}\n${name}`;
  const known = cached.variants.get(key);
  if (known !== undefined) return known;
  const compiled = cached.analysis.compile(name, parameters);
  cached.variants.set(key, compiled);
  return compiled;
}
