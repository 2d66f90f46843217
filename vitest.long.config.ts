import { configDefaults } from 'vitest/config';
import everyday, { filesThatImport } from './vitest.config.ts';

process.env['SVC_TEST_LONG'] = '1';

/** What `npm test` has no time for, or shows a part of, says so by what it imports. */
const include = [...filesThatImport('long.ts'), ...filesThatImport('takes-long.ts')];

export default { ...everyday, test: { ...everyday.test, include, exclude: configDefaults.exclude } };
