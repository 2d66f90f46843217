import fc from 'fast-check';

/** A test that is green once is green always. `SVC_TEST_SEED` looks further; `npm run fuzz` does for processes. */
export const SEED = Number(process.env['SVC_TEST_SEED'] ?? 20_260_101);

fc.configureGlobal({ seed: SEED });
