import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** `npm run screenshots`. */
const { include: _, ...test } = shared.test ?? {};
export default mergeConfig(
  { ...shared, test },
  defineConfig({ test: { include: ['console/test/pictures.ts'] } }),
);
