#!/usr/bin/env node
import { run } from './cli/index.ts';

process.exit(await run(process.argv.slice(2)));
