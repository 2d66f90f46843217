import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** The walks through all screens: `npm run test:console`. The short one is among all tests. */
const { include: _, ...test } = shared.test ?? {};
export default mergeConfig(
  { ...shared, test },
  defineConfig({ test: { include: ['console/**/*.test.ts'] } }),
);
