/**
 * What the operator wrote, read once and checked as a whole: how the node starts, boot properties, and the
 * files of `conf/`.
 *
 * Words: a *setting* is part of the start contract (environment or flag), a *property* is what `&{name}`
 * means, a *configuration* is one file, `<id>.json` or `<factory>-<alias>.json`, a *definition* is its schema
 * with defaults, a *snapshot* is all configurations at one moment. The *project location* is the operator's
 * folder; the *installation* has what it lacks.
 *
 * Invariants: all mistakes are found at once, with file, line and column; what is in force was valid when it
 * was read; a bad change leaves the old configuration in force; files are never written.
 */
export type { Compat, RoleNames } from './compat.ts';
export type { Objection } from './config-checks.ts';
export { configIdOfFile, definitionOf, formatConfigId, parseConfigId } from './config-id.ts';
export type { PlannedEffect } from './config-plans.ts';
export { type CheckedText, type ConfigOptions, ConfigStore } from './config-store.ts';
export { revisionOf } from './config-text.ts';
export { ConfigWatcher } from './config-watcher.ts';
export { type DatabaseAddress, type DatabaseTargets, readDatabaseTargets } from './database-targets.ts';
export { type AuditConfig, auditConfig } from './definitions/audit-schema.ts';
export {
  type ApiKeySettings,
  type BearerSettings,
  type CertificateSettings,
  isSafeIssuerUrl,
  type KnownModule,
  type PasswordModuleSettings,
  type SessionSettings,
  type StaticUserSettings,
  type TrustedAttributeSettings,
} from './definitions/auth-module-schema.ts';
export { type AuthenticationConfig, authenticationConfig } from './definitions/authentication-schema.ts';
export { clusterConfig } from './definitions/cluster-schema.ts';
export { type EndpointConfig, endpointConfig } from './definitions/endpoint-schema.ts';
export { absentModule, openProperties } from './definitions/field-modules.ts';
export { infoConfig } from './definitions/info-schema.ts';
export { decodedSegment, internalRole } from './definitions/internal-role.ts';
export { type ManagedConfig, managedConfig, PROPERTY_TYPES, SHOWN } from './definitions/managed-schema.ts';
export {
  type MappingConfig,
  mappingConfig,
  RECONCILIATION_KEYS,
  readMapping,
  readThresholds,
  SITUATIONS,
  type Situation,
  SYNC_ACTIONS,
  type SyncAction,
  syncConfig,
  THRESHOLDS,
  type ThresholdKind,
  type ThresholdsConfig,
} from './definitions/mapping-schema.ts';
export { policyConfig } from './definitions/policy-schema.ts';
export { processConfig } from './definitions/process-schema.ts';
export {
  PROPERTY_FLAGS,
  type ProvisionerConfig,
  provisionerConfig,
  type SystemObjectConfig,
  type SystemOperation,
  type SystemPropertyConfig,
} from './definitions/provisioner-schema.ts';
export { repoConfig } from './definitions/repo-schema.ts';
export {
  type RouterConfig,
  type RouterFilterConfig,
  readPattern,
  routerConfig,
} from './definitions/router-schema.ts';
export {
  INVOKE_LOG_LEVELS,
  MISFIRE_POLICIES,
  SCHEDULE_FLAGS,
  SCHEDULE_PRIORITY,
  SCHEDULE_TYPES,
  type ScheduleConfig,
  scheduleConfig,
} from './definitions/schedule-schema.ts';
export { schedulerConfig } from './definitions/scheduler-schema.ts';
export {
  type ScimAttributeConfig,
  type ScimConfig,
  type ScimResourceTypeConfig,
  scimConfig,
} from './definitions/scim-schema.ts';
export { scriptConfig } from './definitions/script-schema.ts';
export {
  isOrigin,
  type ServletFilterConfig,
  servletFilterConfig,
} from './definitions/servlet-filter-schema.ts';
export {
  HISTORY_LEVELS,
  type HistoryLevel,
  type WorkflowConfig,
  workflowConfig,
} from './definitions/workflow-schema.ts';
export { fieldFileHint } from './field-files.ts';
export { parseJavaProperties } from './java-properties.ts';
export { parseJsonDocument } from './json-document.ts';
export { isBelow, isReallyBelow, requireOwnProcesses, requireOwnSources } from './own-folders.ts';
export { forgetPasswordOf, passwordReaderOf, urlWithPassword } from './password-source.ts';
export { isModuleFile, ProjectModules } from './project-modules.ts';
export type { PropertySource } from './property-source.ts';
export { ScriptOverlay, type ScriptTexts } from './script-overlay.ts';
export { secretReferences } from './secret-references.ts';
export { SECRET_VARIABLES, takeEnvironment, withoutSecrets } from './secret-variables.ts';
export {
  type Environment,
  misspeltVariables,
  overlayFlags,
  readSettings,
  SETTING_FLAGS,
  type Settings,
} from './settings.ts';
export { substitute } from './substitution.ts';
export { writtenJson } from './written-json.ts';
