import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const IMPORT = /^import\s+(?:(type\b)?\s*(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s*from\s*)?'([^']+)';?$/gm;
const REEXPORT = /^export\s*\{([^}]*)\};?$/gm;
const EXPORT = /^export\s+(?:abstract\s+)?(?:(?:async\s+)?function\*?|class|const|let)\s+([\w$]+)/gm;

interface Module {
  readonly variable: string;
  readonly code: string;
}

/**
 * Modules that import nothing but each other as the text of one function, which takes a sandbox and calls the
 * entry's `install` with it. QuickJS gets its libraries as text, and there is no build that could make one.
 */
export function linkModules(entry: URL): string {
  const modules = new Map<string, Module>();
  const link = (url: URL): string => {
    const known = modules.get(url.href);
    if (known !== undefined) return known.variable;
    const source = withoutTypes(readFileSync(url, 'utf8'));
    const code = source.replace(IMPORT, (_all, type, names, namespace, path) => {
      if (type !== undefined) return '';
      const variable = link(new URL(path, url));
      if (namespace !== undefined) return `const ${namespace}=${variable};`;
      return names === undefined ? '' : `const {${toPattern(names)}}=${variable};`;
    });
    const variable = `m${modules.size}`;
    modules.set(url.href, { variable, code: toFunction(code) });
    return variable;
  };
  const last = link(entry);
  const declarations = [...modules.values()].map(({ variable, code }) => `const ${variable}=${code};\n`);
  return `(sandbox)=>{"use strict";\n${declarations.join('')}${last}.install(sandbox);}`;
}

function toPattern(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/\s+as\s+/, ':'))
    .join(',');
}

function toFunction(code: string): string {
  const names = [...code.matchAll(EXPORT)].map(([, name]) => name);
  const others = [...code.matchAll(REEXPORT)].map(([, list]) => toPattern(list!));
  const body = code
    .replace(REEXPORT, '')
    .replace(/^export\s+/gm, '')
    .replace(/\n\s*\n+/g, '\n')
    .replace(/^ +/gm, '');
  return `(()=>{${body}\nreturn {${[...names, ...others].join(',')}};})()`;
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
