import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// As src/main.ts: types are stripped once, and not in each test file, thread and process again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/svc', import.meta.url));

/** Tests that start processes: their files take longer than their length says. */
const SLOW = /\/test\/(?:cluster|cli)\//;
const QUICK_BETWEEN = 8;

/** A slow file that begins last is waited for alone, and slow ones that run at once are in each other's way. */
class SlowAmongQuick extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = sorted.filter(({ moduleId }) => SLOW.test(moduleId));
    const quick = sorted.filter(({ moduleId }) => !SLOW.test(moduleId));
    const mixed = slow.flatMap((file) => [file, ...quick.splice(0, QUICK_BETWEEN)]);
    return [...mixed, ...quick];
  }
}

/** The test files that import something of test/support. */
export function filesThatImport(support: string): string[] {
  return globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8').includes(`/support/${support}'`),
  );
}

/** `vitest run`, and then what is to be run, if not everything. */
const isAnythingNamed = process.argv.slice(3).some((argument) => !argument.startsWith('-'));
const tooLong = isAnythingNamed ? [] : filesThatImport('takes-long.ts');
if (tooLong.length > 0) console.info(`${tooLong.length} files that take long are left to npm run test:long.`);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...tooLong],
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
    sequence: { hooks: 'list', sequencer: SlowAmongQuick },
  },
});
