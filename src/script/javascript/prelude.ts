import { readFileSync } from 'node:fs';
import type { ScriptSource } from './script-source.ts';
import { SIGNATURES } from './server-functions.ts';

/** The first makes the record that all others are called with. */
const PARTS = [
  'sandbox.js',
  'errors.js',
  'random.js',
  'signature.js',
  'resource-functions.js',
  'server-functions.js',
  'require.js',
  'load.js',
  'java-habits.js',
];

/** The JavaScript of ours that runs inside QuickJS before any script: each part is one function expression. */
export const PRELUDE: readonly ScriptSource[] = PARTS.map((name) => ({
  name: `prelude/${name}`,
  source: readFileSync(new URL(`./prelude/${name}`, import.meta.url), 'utf8').replace(
    '$SIGNATURES',
    JSON.stringify(SIGNATURES),
  ),
}));
