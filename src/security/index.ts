/**
 * Who may come in, and what they may do. Authentication turns what a caller shows into a security context; the
 * access filter stands first in the router and is asked for external requests only. Default: no.
 *
 * Words: a *module* is one way to be known, an *account* somebody with a stored password, a *session* a row that a
 * cookie names, a *rule* one grant of `script/access.js`, a *condition* its `customAuthz`, a
 * *topic* one kind of entry of the audit trail.
 */
export { accessFeature } from './access/access-feature.ts';
export { evaluateAccessFile } from './access/access-file.ts';
export { AccessRules } from './access/access-rules.ts';
export { accessRules } from './access/access-rules-of.ts';
export { authorize } from './access/authorize.ts';
export { CONDITION_NAMES } from './access/conditions.ts';
export { hideReferences } from './access/hide-references.ts';
export { AUDIT_TOPICS, type AuditTopic } from './audit/audit-event.ts';
export { type AuditFeature, auditFeature } from './audit/audit-feature.ts';
export { AuditKeys } from './audit/audit-keys.ts';
export { auditMonthKeeper, keepAuditMonths } from './audit/audit-month-keeper.ts';
export { auditResource } from './audit/audit-resource.ts';
export { auditRoleStatements, undoAuditRoleStatements } from './audit/audit-role.ts';
export { AuditSealer } from './audit/audit-sealer.ts';
export { AuditTrail, recordChanges } from './audit/audit-trail.ts';
export type { TrailFinding } from './audit/check-trail.ts';
export { unsealedSeconds } from './audit/seal-repository.ts';
export { entrySigner, type SignEntry } from './audit/signed-entry.ts';
export { exportLines, verifyFile } from './audit/trail-file.ts';
export type { TrailRange } from './audit/trail-repository.ts';
export { type TrailHead, type Verification, verifyAudit } from './audit/verify-audit.ts';
export { createApiKey } from './authentication/api-key-module.ts';
export { augmentHere, augmentIn } from './authentication/augment-security.ts';
export { type Augment, type Augmentation, augmentScript } from './authentication/augmentation.ts';
export {
  type AuthenticationFeature,
  authenticationFeature,
} from './authentication/authentication-feature.ts';
export { authenticationResource } from './authentication/authentication-resource.ts';
export { Authenticator, type AuthenticatorParts, type LoginEvent } from './authentication/authenticator.ts';
export {
  buildModules,
  type ModuleParts,
  readSessionSettings,
} from './authentication/build-modules.ts';
export { callerAddress } from './authentication/caller-address.ts';
export { ADMIN, createAdministrator } from './authentication/create-administrator.ts';
export { absentModule } from './authentication/field-modules.ts';
export type { UserDirectory } from './authentication/find-account.ts';
export { followAccounts } from './authentication/follow-accounts.ts';
export { networkOf } from './authentication/internet-address.ts';
export { lockoutResource } from './authentication/lockout-resource.ts';
export { pruneLogins } from './authentication/login-failure-repository.ts';
export { LoginNameKeeper } from './authentication/login-name-keeper.ts';
export { type LoginPlaces, loginPlaces } from './authentication/login-places.ts';
export { LoginThrottle } from './authentication/login-throttle.ts';
export { matchesStored } from './authentication/matches-stored.ts';
export { moduleDoubts } from './authentication/module-doubts.ts';
export { PasswordComparisons } from './authentication/password-comparisons.ts';
export { RateLimit } from './authentication/rate-limit.ts';
export { readRoleNames } from './authentication/read-role-names.ts';
export { sessionResource } from './authentication/session-resource.ts';
export { Sessions } from './authentication/sessions.ts';
export { TrustedProxies } from './authentication/trusted-proxies.ts';
export { unlock } from './authentication/unlock.ts';
export { userDirectory } from './authentication/user-directory.ts';
export { checkAuthentication, findAccessMistakes } from './check-authentication.ts';
