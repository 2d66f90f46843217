/**
 * Loaded before all else where the service is a package in `node_modules`, in which Node strips no types: then this does.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

const ROOT = new URL('../', import.meta.url).href;

registerHooks({
  load(url, context, next) {
    if (!url.startsWith(ROOT) || !url.endsWith('.ts')) return next(url, context);
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'));
    return { format: 'module', source, shortCircuit: true };
  },
});
