import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { ScriptSource } from './script-source.ts';

const IMPORT = /^import\s+(?:(type\b)?\s*(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s*from\s*)?'([^']+)';?$/gm;
const REEXPORT = /^export\s*\{([^}]*)\};?$/gm;
const EXPORT = /^export\s+(?:abstract\s+)?(?:(?:async\s+)?function\*?|class|const|let)\s+([\w$]+)/gm;

/** A field that gets its value in the constructor: to define it before that would make each object dearer. */
const DECLARED_FIELD = /^\s+(?!(?:break|continue|return|debugger)\b)[a-zA-Z_$][\w$]*\s*;\s*$/gm;

/** A module as the text of a function that takes a sandbox. */
export interface LinkedModule extends ScriptSource {
  readonly url: URL;
  /** The modules that have to be loaded before it. */
  readonly imports: readonly LinkedModule[];
}

/** Where the modules find each other. */
const RECORD = 'sandbox.groovyModules';

/**
 * Makes libraries for QuickJS of modules that import nothing but each other. QuickJS gets its libraries as text, and
 * there is no build that could make one. Each module is a text of its own because parsing all as one would need
 * several times the memory, which every run of a script would have to put back.
 */
export class ModuleLinker {
  readonly #modules = new Map<string, LinkedModule>();
  /** To be loaded before any module. */
  readonly start: ScriptSource = { name: 'groovy/start', source: `(sandbox)=>{${RECORD}={};}` };

  /** The module and all that it needs, in the order in which they are to be loaded. */
  link(entry: URL): readonly LinkedModule[] {
    return inOrder([this.#link(entry)]);
  }

  /** Calls the function of the name that the module exports with the sandbox. */
  callOf(entry: URL, name: string): ScriptSource {
    const { source } = { source: `(sandbox)=>${this.#reference(entry)}.${name}(sandbox)` };
    return { name: `groovy/${name}`, source };
  }

  #reference(url: URL): string {
    return `${RECORD}[${JSON.stringify(this.#link(url).name)}]`;
  }

  #link(url: URL): LinkedModule {
    const known = this.#modules.get(url.href);
    if (known !== undefined) return known;
    const imports: LinkedModule[] = [];
    const source = withoutTypes(readFileSync(url, 'utf8'));
    const code = source.replace(IMPORT, (_all, type, names, namespace, path) => {
      if (type !== undefined) return '';
      const imported = new URL(path, url);
      imports.push(this.#link(imported));
      const from = this.#reference(imported);
      if (namespace !== undefined) return `const ${namespace}=${from};`;
      return names === undefined ? '' : `const {${toPattern(names)}}=${from};`;
    });
    const name = `groovy/${url.href.slice(url.href.lastIndexOf('/') + 1)}`;
    if ([...this.#modules.values()].some((other) => other.name === name)) {
      throw new Error(`Two modules are called ${name}`);
    }
    const module = { name, url, imports, source: toFunction(name, code) };
    this.#modules.set(url.href, module);
    return module;
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

function toPattern(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/\s+as\s+/, ':'))
    .join(',');
}

function toFunction(name: string, code: string): string {
  const names = [...code.matchAll(EXPORT)].map(([, exported]) => exported);
  const others = [...code.matchAll(REEXPORT)].map(([, list]) => toPattern(list!));
  const body = code
    .replace(DECLARED_FIELD, '')
    .replace(REEXPORT, '')
    .replace(/^export\s+/gm, '')
    .replace(/\n\s*\n+/g, '\n')
    .replace(/^ +/gm, '');
  return `(sandbox)=>{"use strict";${body}\n${RECORD}[${JSON.stringify(name)}]={${[...names, ...others].join(',')}};}`;
}

/** Node warns that it may change how this works; whoever runs a script has no use for that. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
