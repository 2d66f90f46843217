#!/usr/bin/env node
import { startQuickly } from './quick-start.ts';

startQuickly();
const { run } = await import('./cli/index.ts');

process.exit(await run(process.argv.slice(2)));
