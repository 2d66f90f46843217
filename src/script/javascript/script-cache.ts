import { LRUCache } from 'lru-cache';
import { analyzeScript, type CompiledScript, compileModule, type ScriptAnalysis } from './compile-script.ts';
import type { ScriptSource } from './script-source.ts';

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
  readonly #modules = new LRUCache<string, CompiledScript>({ max: MOST_SOURCES });

  /** @throws ScriptSyntaxError */
  getScript(script: ScriptSource, bindings: readonly string[]): CompiledScript {
    const cached = this.#scripts.get(script.source) ?? this.#analyze(script);
    const parameters = cached.analysis.parametersFor(bindings);
    const key = `${parameters.join()}\n${script.name}`;
    const known = cached.variants.get(key);
    if (known !== undefined) return known;
    const compiled = cached.analysis.compile(script.name, parameters);
    cached.variants.set(key, compiled);
    return compiled;
  }

  /** @throws ScriptSyntaxError */
  getModule(module: ScriptSource): CompiledScript {
    const known = this.#modules.get(module.source);
    if (known?.name === module.name) return known;
    const compiled = compileModule(module);
    this.#modules.set(module.source, compiled);
    return compiled;
  }

  #analyze(script: ScriptSource): CachedSource {
    const cached = {
      analysis: analyzeScript(script),
      variants: new LRUCache<string, CompiledScript>({ max: MOST_VARIANTS }),
    };
    this.#scripts.set(script.source, cached);
    return cached;
  }
}
