import { globSync, readFileSync } from 'node:fs';
import everyday from './vitest.config.ts';

process.env['SVC_TEST_LONG'] = '1';

/** What has more to show than `npm test` has time for says so by what it imports. */
const include = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes('/support/long.ts'),
);

export default { ...everyday, test: { ...everyday.test, include } };
