import { readFileSync } from 'node:fs';
import type { ScriptSource } from './javascript/index.ts';

/** The JavaScript that makes of bindings, which cross the border as JSON, what scripts see. */
export const bindingLibraries: readonly ScriptSource[] = [
  'context.js',
  'request.js',
  'http-request.js',
  'execution.js',
  'http.js',
  'failure-handlers.js',
].map((name) => ({
  name: `bindings/${name}`,
  source: readFileSync(new URL(`./bindings/${name}`, import.meta.url), 'utf8'),
}));
