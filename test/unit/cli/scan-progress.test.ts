import { expect, it } from 'vitest';
import { formatScan } from '../../../src/cli/remote/scan-progress.ts';
import type { Scan } from '../../../src/client/index.ts';

const run = (progress: Partial<Scan['progress']>, more: Partial<Scan> = {}): Scan => ({
  _id: 'r1',
  progress: { state: 'ACTIVE', processed: 0, total: 0, successes: 0, failures: 0, skipped: 0, ...progress },
  started: '2026-08-01T10:00:00.000Z',
  ended: '',
  estimate: '',
  object: 'managed/user',
  name: null,
  nodes: [],
  error: null,
  errors: [],
  ...more,
});

it.each([
  [run({ state: 'INITIALIZED' }), '░░░░░░░░░░   0 %  0/0  initialized  managed/user'],
  [
    run(
      { processed: 600, total: 1000, failures: 3, skipped: 70 },
      { estimate: '2026-08-01T10:00:42.000Z', nodes: ['a', 'b'], name: 'schedule/nightly' },
    ),
    '██████░░░░  67 %  670/1000  3 failed, 70 skipped  ends in 0:42  on a, b  schedule/nightly',
  ],
  [
    run({ state: 'COMPLETED', processed: 5, total: 5 }, { ended: '2026-08-01T11:02:03.000Z' }),
    '██████████ 100 %  5/5  completed after 1:02:03  managed/user',
  ],
  [
    run({ state: 'COMPLETED' }, { ended: '2026-08-01T10:00:00.100Z' }),
    '██████████ 100 %  0/0  completed after 0:00  managed/user',
  ],
  [run({ state: 'CANCELLED', processed: 1, total: 3 }), '███░░░░░░░  33 %  1/3  cancelled  managed/user'],
])('a run is one line', (given, line) => {
  expect(formatScan(given, 10, Date.parse('2026-08-01T10:00:00Z'))).toBe(line);
});
