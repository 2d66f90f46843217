#!/usr/bin/env node
// The installed command: hands over to the bootstrap, which finds the right Node.
process.argv.splice(2, 0, 'svc');
await import('./bootstrap.js');
