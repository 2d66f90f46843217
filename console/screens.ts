import type { Screen } from './frame/screen.ts';
import { audit } from './screens/audit/screen.ts';
import { configuration } from './screens/configuration/screen.ts';
import { home } from './screens/home/screen.ts';
import { mappings } from './screens/mappings/screen.ts';
import { me } from './screens/me/screen.ts';
import { nodes } from './screens/nodes/screen.ts';
import { objects } from './screens/objects/screen.ts';
import { processes } from './screens/processes/screen.ts';
import { reconciliations } from './screens/reconciliations/screen.ts';
import { roles } from './screens/roles/screen.ts';
import { scans } from './screens/scans/screen.ts';
import { schedules } from './screens/schedules/screen.ts';
import { scripts } from './screens/scripts/screen.ts';
import { security } from './screens/security/screen.ts';
import { systems } from './screens/systems/screen.ts';
import { types } from './screens/types/screen.ts';

/** All screens, in the order of the navigation. Whoever may not enter one does not see it. */
export const SCREENS: readonly Screen[] = [
  home,
  me,
  objects,
  roles,
  processes,
  schedules,
  scans,
  scripts,
  types,
  systems,
  mappings,
  reconciliations,
  configuration,
  security,
  nodes,
  audit,
];
