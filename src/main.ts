#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Types are stripped once and not at each start, which takes half as long then. Not in the shared temporary folder,
// where others could put code for us to run.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/svc', import.meta.url));
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
const { run } = await import('./cli/index.ts');

process.exit(await run(process.argv.slice(2)));
