#!/usr/bin/env node
// The installed command: hands over to the bootstrap, which finds the right Node.
import { basename, relative } from 'node:path';

// How it was called, for help and hints.
const path = relative(process.cwd(), process.argv[1]);
const own = path.startsWith('..') ? process.argv[1] : `./${path}`;
if (process.env.npm_command === 'exec') process.env.TYPED_SVC = 'npx svc';
else process.env.TYPED_SVC = basename(path) === 'svc' ? 'svc' : own;

process.argv.splice(2, 0, 'svc');
await import('./bootstrap.js');
