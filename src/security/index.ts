/**
 * Who may come in, and what they may do. Authentication turns what a caller shows into a security context; the
 * access filter stands first in the router and is asked for external requests only. Default: no.
 *
 * Words: a *module* is one way to be known, an *account* somebody with a stored password, a *session* a row that a
 * cookie names, a *rule* one grant of `script/access.js`, a *condition* its `customAuthz`, a
 * *topic* one kind of entry of the audit trail.
 */
export { ACCESS_FILE_TEXT, accessFeature } from './access/access-feature.ts';
export { evaluateAccessFile } from './access/access-file.ts';
export type { AccessFile } from './access/access-rules.ts';
export { AccessRules } from './access/access-rules.ts';
export { accessRules } from './access/access-rules-of.ts';
export { authorize } from './access/authorize.ts';
export { exceptedRoles } from './access/excepted-roles.ts';
export { hideReferences } from './access/hide-references.ts';
export { KnownRoles } from './access/known-roles.ts';
export { RoleGrants } from './access/role-grants.ts';
export { recordedIn } from './audit/activity.ts';
export { AUDIT_TOPICS, type AuditTopic } from './audit/audit-event.ts';
export { type AuditFeature, auditFeature } from './audit/audit-feature.ts';
export { AuditKeys } from './audit/audit-keys.ts';
export { auditRoleStatements, undoAuditRoleStatements } from './audit/audit-role.ts';
export { AuditSealer } from './audit/audit-sealer.ts';
export { AuditTrail, isRecorded } from './audit/audit-trail.ts';
export { type Cause, findCauses } from './audit/cause-repository.ts';
export type { TrailFinding } from './audit/check-trail.ts';
export {
  countHistory,
  deleteHistory,
  type HistoryEntry,
  historyKeptFrom,
  insertHistory,
  knownHistory,
} from './audit/history-repository.ts';
export { recordImport } from './audit/record-import.ts';
export { exportLines, verifyFile } from './audit/trail-file.ts';
export type { TrailRange } from './audit/trail-repository.ts';
export { type TrailHead, verifyAudit } from './audit/verify-audit.ts';
export { createApiKey, isKey } from './authentication/api-key-module.ts';
export { countApiKeys, endEveryApiKey } from './authentication/api-key-repository.ts';
export { AUGMENTATION, augmentHere, augmentIn } from './authentication/augment-security.ts';
export type { Augment } from './authentication/augmentation.ts';
export {
  type AuthenticationFeature,
  authenticationFeature,
  type ComingIn,
  type ComingRates,
} from './authentication/authentication-feature.ts';
export { callerAddress } from './authentication/caller-address.ts';
export { distantDesk, serveDesk } from './authentication/comparison-desk.ts';
export { createAdministrator } from './authentication/create-administrator.ts';
export { foldName } from './authentication/login-name.ts';
export { RateLimit, type RateWords, rateWords } from './authentication/rate-limit.ts';
export { readRoleNames } from './authentication/read-role-names.ts';
export { endEverySession } from './authentication/session-repository.ts';
export { listTakenNames } from './authentication/taken-names.ts';
export { TrustedProxies } from './authentication/trusted-proxies.ts';
export { unlock } from './authentication/unlock.ts';
export { userDirectory } from './authentication/user-directory.ts';
export { checkAuthentication, findAccessMistakes } from './check-authentication.ts';
