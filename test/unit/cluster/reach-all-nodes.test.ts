import { expect, test } from 'vitest';
import { reachAllNodes } from '../../../src/cluster/index.ts';

test('a change has reached all nodes when none is behind, and is said not to have when one stays behind', async () => {
  const counts = [2, 1, 0];
  expect(await reachAllNodes(async () => counts.shift() ?? 0)).toBe(true);
  expect(await reachAllNodes(async () => 1, 50)).toBe(false);
});
