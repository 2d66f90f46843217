import { readFileSync } from 'node:fs';
import { readModules } from './kept-modules.ts';
import { type ModuleText, moduleText } from './module-text.ts';
import type { ScriptSource } from './script-source.ts';

/** A module as the text of a function that takes a sandbox. */
export interface LinkedModule extends ScriptSource {
  readonly url: URL;
  /** The modules that have to be loaded before it. */
  readonly imports: readonly LinkedModule[];
}

/** Where the modules find each other. */
const RECORD = 'sandbox.groovyModules';

/**
 * Makes libraries for QuickJS of modules that import nothing but each other. Each module is a text of its own because
 * scripts need few of them, and because parsing all as one would need several times the memory, which every run of a script
 * would have to put back.
 */
export class ModuleLinker {
  readonly #folder: URL;
  readonly #texts: Readonly<Record<string, ModuleText>>;
  readonly #modules = new Map<string, LinkedModule>();
  /** The script to be loaded before any module. */
  readonly start: ScriptSource = { name: 'groovy/start', source: `(sandbox)=>{${RECORD}={};}` };

  /** @param folder where most modules lie */
  constructor(folder: URL) {
    this.#folder = folder;
    this.#texts = readModules(folder);
  }

  /** The module and all that it needs, in the order in which they are to be loaded. */
  link(entry: URL): readonly LinkedModule[] {
    return inOrder([this.#link(entry)]);
  }

  /** Calls the function of the name that the module exports with the sandbox. */
  callOf(entry: URL, name: string): ScriptSource {
    return {
      name: `groovy/${name}`,
      source: `(sandbox)=>${referenceTo(this.#link(entry))}.${name}(sandbox)`,
    };
  }

  #link(url: URL): LinkedModule {
    const known = this.#modules.get(url.href);
    if (known !== undefined) return known;
    const name = `groovy/${url.href.slice(url.href.lastIndexOf('/') + 1)}`;
    if ([...this.#modules.values()].some((other) => other.name === name)) {
      throw new Error(`Two modules are called ${name}`);
    }
    const { imports, body, exports } = this.#textOf(url);
    const linked = imports.map(({ path, pattern }) => ({
      module: this.#link(new URL(path, url)),
      pattern,
    }));
    const taken = linked.map(({ module, pattern }) =>
      pattern === undefined ? '' : `const ${pattern}=${referenceTo(module)};`,
    );
    const source = `(sandbox)=>{"use strict";${taken.join('')}${body}\n${referenceTo({ name })}={${exports.join(',')}};}`;
    const module = { name, url, imports: linked.map(({ module }) => module), source };
    this.#modules.set(url.href, module);
    return module;
  }

  #textOf({ href }: URL): ModuleText {
    return (
      this.#texts[href.slice(this.#folder.href.length)] ?? moduleText(readFileSync(new URL(href), 'utf8'))
    );
  }
}

/** The modules with all that they need, each behind what it needs. */
export function inOrder(modules: readonly LinkedModule[]): readonly LinkedModule[] {
  const ordered = new Set<LinkedModule>();
  const add = (module: LinkedModule) => {
    if (ordered.has(module)) return;
    for (const imported of module.imports) add(imported);
    ordered.add(module);
  };
  for (const module of modules) add(module);
  return [...ordered];
}

function referenceTo({ name }: { readonly name: string }): string {
  return `${RECORD}[${JSON.stringify(name)}]`;
}
