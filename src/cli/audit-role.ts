import { auditRoleStatements, undoAuditRoleStatements } from '#security/index.ts';
import { EXIT } from './command.ts';
import { tell } from './told.ts';
import { complain } from './typed-name.ts';

const ROLE = /^[a-z_][\w-]{0,62}$/i;

/** `svc audit role`: prints SQL for whoever administers the database. */
export function printRole(flags: Readonly<Record<string, string | boolean | undefined>>): number {
  const { owner = 'svc_audit_owner', service = 'svc' } = flags;
  const wrong = [owner, service].find((role) => !ROLE.test(String(role)));
  if (wrong !== undefined || owner === service) {
    complain(`svc audit: --owner '${owner}' and --service '${service}' are no names of two roles`);
    return EXIT.USAGE;
  }
  const names = { owner: String(owner), service: String(service) };
  const sql = flags['undo'] === true ? undoAuditRoleStatements(names) : auditRoleStatements(names);
  tell(flags, { ...names, sql }, () => sql);
  return EXIT.OK;
}
