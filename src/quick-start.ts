import { existsSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { findBundle } from '../bin/bundle.js';
import { showSources } from './bundle-places.ts';

/** What a process runs, for its threads. */
const BUNDLE = 'svc.bundle';

const ROOT = new URL('../', import.meta.url).href;
const SOURCES = [`${ROOT}src/`, `${ROOT}workers/`];
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//;

/**
 * A part of the product, from the bundle where there is one of just these sources, else module by module. Threads run what
 * their process does.
 *
 * @param entry the name of its file in the bundle, without `.js`
 */
export async function loadQuickly<T>(entry: string, fromSources: () => Promise<T>): Promise<T> {
  startQuickly();
  const bundle = bundleOfProcess() ?? findBundle()?.href;
  if (bundle === undefined) return fromSources();
  setEnvironmentData(BUNDLE, bundle);
  showSources(bundle);
  return import(`${bundle}${entry}.js`);
}

function bundleOfProcess(): string | undefined {
  const bundle = getEnvironmentData(BUNDLE);
  // A node outlives its bundle when many others are made beside it.
  return typeof bundle === 'string' && existsSync(fileURLToPath(bundle)) ? bundle : undefined;
}

/**
 * To be called before anything else is loaded, in each thread: halves what it costs to load the product, which is more
 * than a thousand modules.
 *
 * Types are stripped once and not at each start; what comes of it is kept in node_modules and not in the shared
 * temporary folder, where others could put code for us to run. And where a module names another of our own, or of its own
 * package, that is where it is: Node would walk up the folders for a package.json and follow links at each of them.
 */
function startQuickly(): void {
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/svc', ROOT));
  enableCompileCache(process.env['NODE_COMPILE_CACHE']);
  /** Folders of packages whose files are ES modules. */
  const packages = new Set<string>();
  registerHooks({
    resolve(specifier, context, next) {
      const from = context.parentURL ?? '';
      const isOwn = SOURCES.some((folder) => from.startsWith(folder));
      if (isOwn && specifier.startsWith('#') && specifier.endsWith('.ts')) {
        return found(`${ROOT}src/${specifier.slice(1)}`, 'module-typescript');
      }
      if (specifier.startsWith('.')) {
        const url = new URL(specifier, from).href;
        if (isOwn && url.endsWith('.ts')) return found(url, 'module-typescript');
        const folder = PACKAGE.exec(from)?.[0];
        if (folder !== undefined && packages.has(folder) && url.startsWith(folder) && url.endsWith('.js'))
          return found(url, 'module');
      }
      const answer = next(specifier, context);
      if (answer.format === 'module' && answer.url.endsWith('.js')) {
        const folder = PACKAGE.exec(answer.url)?.[0];
        if (folder !== undefined) packages.add(folder);
      }
      return answer;
    },
  });
}

function found(url: string, format: string) {
  return { url, format, shortCircuit: true };
}
