import type { Screen } from './frame/screen.ts';
import { audit } from './screens/audit/screen.ts';
import { home } from './screens/home/screen.ts';
import { me } from './screens/me/screen.ts';
import { nodes } from './screens/nodes/screen.ts';
import { objects } from './screens/objects/screen.ts';
import { processes } from './screens/processes/screen.ts';
import { schedules } from './screens/schedules/screen.ts';
import { scripts } from './screens/scripts/screen.ts';

/** All screens, in the order of the navigation. Whoever may not enter one does not see it. */
export const SCREENS: readonly Screen[] = [home, me, objects, processes, schedules, scripts, nodes, audit];
