#!/usr/bin/env node
import { loadQuickly } from './quick-start.ts';

const { run } = await loadQuickly('command-line', () => import('./cli/index.ts'));

process.exit(await run(process.argv.slice(2)));
