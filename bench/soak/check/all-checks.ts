import { ANSWER_CHECKS } from './answer-checks.ts';
import type { Check } from './check.ts';
import { FIRING_CHECKS } from './firing-checks.ts';
import { ORPHAN_CHECKS } from './orphan-checks.ts';
import { WORK_CHECKS } from './work-checks.ts';

export const ALL_CHECKS: readonly Check[] = [
  ...ANSWER_CHECKS,
  ...FIRING_CHECKS,
  ...WORK_CHECKS,
  ...ORPHAN_CHECKS,
];
