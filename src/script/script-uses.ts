import { FILTER_USES } from './router-filter.ts';
import { EVALUATED } from './script-resource.ts';
import { TRANSFORM } from './script-transform.ts';
import type { ScriptUses } from './script-use.ts';

/** Uses of scripts that belong to no feature. */
export const SCRIPT_USES: ScriptUses = { eval: EVALUATED, transform: TRANSFORM, ...FILTER_USES };
