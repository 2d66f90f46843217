import { LRUCache } from 'lru-cache';
import { analyzeModule, analyzeScript, type CompiledScript, type ScriptAnalysis } from './compile-script.ts';
import type { ModuleSource, ScriptSource } from './script-source.ts';

const MOST_SOURCES = 1000;
/** One source is asked for with few sets of binding names; more come from callers that make names up. */
const MOST_VARIANTS = 20;

interface CachedSource {
  readonly analysis: ScriptAnalysis;
  readonly variants: LRUCache<string, CompiledScript>;
}

/** Scripts parsed and rewritten once; keyed by the text itself, whose hash V8 keeps with the string. */
export class ScriptCache {
  readonly #scripts = new LRUCache<string, CachedSource>({ max: MOST_SOURCES });
  readonly #modules = new LRUCache<string, CachedSource>({ max: MOST_SOURCES });

  /** @throws ScriptSyntaxError */
  getScript(script: ScriptSource, bindings: readonly string[]): CompiledScript {
    return getVariant(this.#scripts, script, bindings, analyzeScript);
  }

  /** @throws ScriptSyntaxError */
  getModule(module: ModuleSource, bindings: readonly string[]): CompiledScript {
    return getVariant(this.#modules, module, bindings, analyzeModule);
  }
}

function getVariant<T extends ScriptSource>(
  cache: LRUCache<string, CachedSource>,
  script: T,
  bindings: readonly string[],
  analyze: (script: T) => ScriptAnalysis,
): CompiledScript {
  let cached = cache.get(script.source);
  if (cached === undefined) {
    cached = { analysis: analyze(script), variants: new LRUCache({ max: MOST_VARIANTS }) };
    cache.set(script.source, cached);
  }
  const parameters = cached.analysis.parametersFor(bindings);
  const key = `${parameters.join()}\n${script.name}`;
  const known = cached.variants.get(key);
  if (known !== undefined) return known;
  const compiled = cached.analysis.compile(script.name, parameters);
  cached.variants.set(key, compiled);
  return compiled;
}
