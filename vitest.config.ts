import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// As src/main.ts: types are stripped once, and not in each test file, thread and process again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/svc', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    pool: 'forks',
    // Tests wait for servers, databases and clocks more than they compute.
    maxWorkers: availableParallelism() + 1,
    // A process takes one file after the other and loads the product once, by Node itself as in production. So a file
    // must leave nothing behind: no server, no changed global.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // They tell of a hang and measure nothing: a machine may be twenty times slower than the one at hand.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Before a change lands, a race that a test loses once in a thousand runs is told, and does not hold it up.
    retry: process.env['CI'] === undefined ? 0 : 1,
    expect: { poll: { timeout: 300_000 } },
    sequence: { hooks: 'list' },
  },
});
