import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { ScriptSource } from '../javascript/index.ts';

const IMPORT = /^import\s+(?:(type\b)?\s*(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s*from\s*)?'([^']+)';?$/gm;
const REEXPORT = /^export\s*\{([^}]*)\};?$/gm;
const EXPORT = /^export\s+(?:abstract\s+)?(?:(?:async\s+)?function\*?|class|const|let)\s+([\w$]+)/gm;

interface Module {
  readonly name: string;
  readonly code: string;
}

/** Where the modules find each other while they are loaded. */
const RECORD = 'sandbox.groovyModules';

/**
 * Modules that import nothing but each other, each as the text of a function that takes a sandbox; they are to be
 * called in this order, and the last one calls the entry's `install` with it. QuickJS gets its libraries as text, and
 * there is no build that could make one. They are not one text because parsing that would need several times the
 * memory, which every run of a script would have to put back.
 */
export function linkModules(entry: URL): ScriptSource[] {
  const modules = new Map<string, Module>();
  const link = (url: URL): string => {
    const known = modules.get(url.href);
    if (known !== undefined) return known.name;
    const source = withoutTypes(readFileSync(url, 'utf8'));
    const code = source.replace(IMPORT, (_all, type, names, namespace, path) => {
      if (type !== undefined) return '';
      const from = `${RECORD}.${link(new URL(path, url))}`;
      if (namespace !== undefined) return `const ${namespace}=${from};`;
      return names === undefined ? '' : `const {${toPattern(names)}}=${from};`;
    });
    const name = `m${modules.size}`;
    modules.set(url.href, { name, code: toFunction(name, code) });
    return name;
  };
  const last = link(entry);
  const sources = [...modules].map(([href, { code }]) => ({
    name: `groovy/${href.slice(href.lastIndexOf('/') + 1)}`,
    source: code,
  }));
  const start = `(sandbox)=>{const {install}=${RECORD}.${last};delete ${RECORD};install(sandbox);}`;
  return [
    { name: 'groovy/start', source: `(sandbox)=>{${RECORD}={};}` },
    ...sources,
    { name: 'groovy/end', source: start },
  ];
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
    .replace(REEXPORT, '')
    .replace(/^export\s+/gm, '')
    .replace(/\n\s*\n+/g, '\n')
    .replace(/^ +/gm, '');
  return `(sandbox)=>{"use strict";${body}\n${RECORD}.${name}={${[...names, ...others].join(',')}};}`;
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
