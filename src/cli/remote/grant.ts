import type { Change, JsonObject, Stored } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { tellError } from '../tell-error.ts';
import { UsageError } from '../usage-error.ts';
import { isConditional, isReference } from './apply/reference.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { idOf } from './named-object.ts';
import { isTable, say } from './output.ts';
import { isRecord } from './profiles.ts';
import type { Asked } from './remote-command.ts';
import { sinceOf } from './time-argument.ts';
import { commandOf, type Flag } from './verb.ts';

/** The end of an interval that has none. */
const FOR_EVER = '9999-12-31T23:59:59.000Z';

const AUTHZ: Readonly<Record<string, Flag>> = {
  authz: { does: 'an authorization role, such as svc-admin: what somebody may do at the node itself' },
};
const NOTES = `Role and users go by their ids, or by their names. Each user is told with the roles and assignments that come or go.`;

/** `svc grant <role> <user …>` */
export const grant = commandOf(
  'grant',
  'grant a role to users',
  {
    does: 'who has it already keeps it as it is',
    takes: ['<role>', '<user>', '[<user> …]'],
    flags: {
      ...DRY_RUN,
      ...AUTHZ,
      from: { value: '<time>', does: 'it counts from then on; default: now' },
      until: { value: '<time>', does: 'it counts until then; default: for ever' },
    },
    example: 'svc grant auditor avo bkim --until 2027-01-01 --dry-run',
    run: (asked, role: string, ...users: string[]) => changeGrants(asked, 'grant', role, users),
  },
  NOTES,
);

/** `svc revoke <role> <user …>` */
export const revoke = commandOf(
  'revoke',
  'take a role from users',
  {
    does: 'what a condition gives, only the condition takes',
    takes: ['<role>', '<user>', '[<user> …]'],
    flags: { ...DRY_RUN, ...AUTHZ },
    example: 'svc revoke auditor avo --dry-run',
    run: (asked, role: string, ...users: string[]) => changeGrants(asked, 'revoke', role, users),
  },
  NOTES,
);

type Operation = 'grant' | 'revoke';

async function changeGrants(
  asked: Asked,
  operation: Operation,
  roleName: string,
  userNames: readonly string[],
): Promise<number> {
  const { client, flags } = asked;
  const isAuthz = flags['authz'] === true;
  const role = isAuthz
    ? `repo/internal/role/${roleName}`
    : `managed/role/${await idOf(client, 'role', roleName)}`;
  const property = isAuthz ? 'authzRoles' : 'roles';
  const constraint = constraintOf(flags, isAuthz);
  const users: string[] = [];
  for (const name of userNames) users.push(await idOf(client, 'user', name));
  let refused = 0;
  for (const id of users) {
    const user = await client.managed('user').read(id, { fields: ['_id', '_rev', property] });
    const held = grantsOf(user, property, role);
    const byHand = held.filter((each) => !isConditional(each));
    const isThere = operation === 'grant' ? byHand.length > 0 : held.length === 0;
    const field = `/${property}`;
    if (isThere) {
      tell(asked, { operation: 'same', role, user: `managed/user/${id}` });
    } else if (operation === 'revoke' && byHand.length === 0) {
      refused += 1;
      const message = `svc revoke: a condition gives ${role} to managed/user/${id}`;
      tellError(asked.isMachineRead, { message, hint: `svc why user ${id} role ${roleName} tells which` });
    } else {
      const operations =
        operation === 'grant'
          ? [{ operation: 'add' as const, field: `${field}/-`, value: { _ref: role, ...constraint } }]
          : byHand.map((value) => ({ operation: 'remove' as const, field, value }));
      const change = { revision: user._rev };
      const { changes } = await client.managed('user').patch(id, operations, { ...change, dryRun: true });
      if (flags['dry-run'] !== true) await client.managed('user').patch(id, operations, change);
      tell(asked, {
        operation,
        role,
        user: `managed/user/${id}`,
        ...differenceOf(changes, `managed/user/${id}`),
      });
    }
  }
  return refused === 0 ? EXIT.OK : EXIT.FINDING;
}

function grantsOf(user: Stored<JsonObject>, property: string, role: string): readonly JsonObject[] {
  const all: unknown = user[property];
  if (!Array.isArray(all)) return [];
  return all.filter((each) => isReference(each) && each._ref === role);
}

function constraintOf(flags: Asked['flags'], isAuthz: boolean): JsonObject {
  const [from, until] = [sinceOf(textOf(flags, 'from')), sinceOf(textOf(flags, 'until'))];
  if (from === undefined && until === undefined) return {};
  if (isAuthz) throw new UsageError('an authorization role counts always: leave out --from and --until');
  const duration = `${(from ?? new Date()).toISOString()}/${until?.toISOString() ?? FOR_EVER}`;
  return { _refProperties: { temporalConstraints: [{ duration }] } };
}

interface Told {
  readonly operation: Operation | 'same';
  readonly role: string;
  readonly user: string;
  readonly gains?: readonly string[];
  readonly loses?: readonly string[];
}

/** What counts for a user before and after. */
function differenceOf(changes: readonly Change[], user: string): Pick<Told, 'gains' | 'loses'> {
  const own = changes.find(({ resource }) => resource === user);
  const [before, after] = [effectOf(own?.before), effectOf(own?.after)];
  return {
    gains: after.filter((each) => !before.includes(each)),
    loses: before.filter((each) => !after.includes(each)),
  };
}

function effectOf(user: unknown): readonly string[] {
  if (!isRecord(user)) return [];
  return ['effectiveRoles', 'effectiveAssignments', 'authzRoles'].flatMap((name) => {
    const all: unknown = user[name];
    return Array.isArray(all) ? all.flatMap(pathOfEffect) : [];
  });
}

/** Roles are references, assignments are shown as a whole. */
function pathOfEffect(effect: unknown): readonly string[] {
  if (isReference(effect)) return [effect._ref];
  return isRecord(effect) ? [`managed/assignment/${effect['_id']}`] : [];
}

function tell({ form, flags }: Asked, told: Told): void {
  const { operation, role, user, gains = [], loses = [] } = told;
  if (form === 'name') say(user);
  else if (!isTable(form)) say(JSON.stringify({ ...told, dryRun: flags['dry-run'] === true }));
  else if (operation === 'same') say(`= ${user}`);
  else {
    say(`${operation === 'grant' ? '+' : '-'} ${user}  ${role}`);
    for (const each of gains) say(`    gains ${each}`);
    for (const each of loses) say(`    loses ${each}`);
    if (gains.length + loses.length === 0) say('    nothing comes or goes by it now');
  }
}
