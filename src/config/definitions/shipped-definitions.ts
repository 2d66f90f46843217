import type { AnyConfigDefinition } from '../config-definition.ts';
import { auditConfig } from './audit-schema.ts';
import { authenticationConfig } from './authentication-schema.ts';
import { clusterConfig } from './cluster-schema.ts';
import { endpointConfig } from './endpoint-schema.ts';
import { infoConfig } from './info-schema.ts';
import { managedConfig } from './managed-schema.ts';
import { mappingConfig, syncConfig } from './mapping-schema.ts';
import { policyConfig } from './policy-schema.ts';
import { processConfig } from './process-schema.ts';
import { provisionerConfig } from './provisioner-schema.ts';
import { repoConfig } from './repo-schema.ts';
import { routerConfig } from './router-schema.ts';
import { scheduleConfig } from './schedule-schema.ts';
import { schedulerConfig } from './scheduler-schema.ts';
import { scimConfig } from './scim-schema.ts';
import { scriptConfig } from './script-schema.ts';
import { servletFilterConfig } from './servlet-filter-schema.ts';
import { workflowConfig } from './workflow-schema.ts';

export const shippedDefinitions: readonly AnyConfigDefinition[] = [
  scriptConfig,
  schedulerConfig,
  clusterConfig,
  managedConfig,
  scheduleConfig,
  endpointConfig,
  infoConfig,
  repoConfig,
  policyConfig,
  authenticationConfig,
  auditConfig,
  workflowConfig,
  processConfig,
  routerConfig,
  syncConfig,
  mappingConfig,
  scimConfig,
  provisionerConfig,
  servletFilterConfig,
];
