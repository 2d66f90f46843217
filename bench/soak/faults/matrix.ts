import { DATABASE_FAULTS } from './database-faults.ts';
import type { Fault } from './fault.ts';
import { HERD_FAULTS } from './herd-faults.ts';
import { MANY_NODES_FAULT } from './many-nodes-fault.ts';
import { NETWORK_FAULTS } from './network-faults.ts';
import { NODE_FAULTS } from './node-faults.ts';
import { POISON_FAULT } from './poison-fault.ts';
import { UPGRADE_FAULT } from './upgrade-fault.ts';

/** All that can go wrong, and is made to. */
export const MATRIX: readonly Fault[] = [
  UPGRADE_FAULT,
  POISON_FAULT,
  MANY_NODES_FAULT,
  ...HERD_FAULTS,
  ...NODE_FAULTS,
  ...NETWORK_FAULTS,
  ...DATABASE_FAULTS,
];

/** What the short form has time for: one of each kind, none that takes long by itself. */
export const SHORT_MATRIX: readonly string[] = [
  'kill',
  'hang',
  'reset',
  'commit-lost',
  'sessions-killed',
  'half-open',
  'disk-full',
  'db-kill',
  'terminate',
];
