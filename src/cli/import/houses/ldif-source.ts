import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject } from '#json/index.ts';
import type { ManagedType } from '#managed/index.ts';
import { ForeignSourceError } from '../repository/foreign-source-error.ts';
import type { ImportSource } from '../repository/import-source.ts';
import type { GivenHouse, HouseOptions } from './given-house.ts';
import { edgeStep, type HouseEdge, type HouseObject, objectStep, uuidOf, valueFor } from './house-rows.ts';
import { ldapPassword } from './ldap-password.ts';
import { entriesOf, type LdifEntry, normalDn } from './ldif.ts';

const PEOPLE = new Set(['inetorgperson', 'organizationalperson', 'person', 'user', 'account']);
const GROUPS = new Set(['groupofnames', 'groupofuniquenames', 'group', 'posixgroup']);
const MEMBERS = ['member', 'uniquemember'];
/** The names that directories have for properties; the first one that is there counts. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  userName: ['uid', 'samaccountname', 'mail', 'cn'],
  givenName: ['givenname'],
  sn: ['sn'],
  mail: ['mail'],
  telephoneNumber: ['telephonenumber'],
  description: ['description'],
  department: ['departmentnumber', 'department', 'ou'],
  postalAddress: ['street', 'postaladdress'],
  city: ['l'],
  stateProvince: ['st'],
  postalCode: ['postalcode'],
  country: ['co', 'c'],
};

const isTrue = (value: string) => /^true$/i.test(value.trim());
/** How directories say that nobody comes in by an account, its password or not; most of these have to be asked for by name. */
const DISABLED: Readonly<Record<string, (value: string) => boolean>> = {
  useraccountcontrol: (value) => (Number(value) & 2) !== 0,
  nsaccountlock: isTrue,
  'ds-pwp-account-disabled': isTrue,
  logindisabled: isTrue,
  pwdaccountlockedtime: () => true,
};

/** Entries of a directory: people as users, groups as roles with their members. */
export async function ldifSource(
  { place }: GivenHouse,
  { types }: Pick<HouseOptions, 'types'>,
): Promise<ImportSource> {
  const text = await readFile(place, 'utf8').catch((error: Error) => {
    throw new ForeignSourceError(`${place} cannot be read: ${error.message}`, { cause: error });
  });
  const entries = entriesOf(text);
  const people = entries.filter((entry) => isOf(entry, PEOPLE));
  const groups = entries.filter((entry) => isOf(entry, GROUPS));
  const ids = new Map(people.map((entry) => [normalDn(entry.dn), idOf(entry)]));
  const user = types.current().get('user');
  const granted = [...(user?.relationships.values() ?? [])].find(
    ({ isArray, collections }) => isArray && collections.includes('managed/role'),
  );
  const hasRoles = granted !== undefined && types.current().has('role');
  const edges = groups.flatMap((group) =>
    MEMBERS.flatMap((name) => group.values.get(name) ?? []).flatMap((dn): HouseEdge[] => {
      const member = ids.get(normalDn(dn));
      return member === undefined ? [] : [[member, idOf(group)]];
    }),
  );
  const others = entries.length - people.length - (hasRoles ? groups.length : 0);
  return {
    place: resolve(place),
    listSteps: async () => [
      ...(hasRoles ? [objectStep(types, 'role', groups.map(roleOf))] : []),
      objectStep(
        types,
        'user',
        people.map((entry) => userOf(user, entry)),
      ),
      ...(hasRoles
        ? [edgeStep(types, { owner: 'user', property: granted.property, other: 'role' }, edges)]
        : []),
    ],
    listLeft: async () =>
      others === 0
        ? []
        : [
            {
              about: 'entries',
              id: null,
              count: others,
              reason: 'They are no people and no groups',
              isLeft: true,
            },
          ],
  };
}

function isOf({ values }: LdifEntry, classes: ReadonlySet<string>): boolean {
  // A computer is a user to Active Directory.
  const own = (values.get('objectclass') ?? []).map((name) => name.toLowerCase());
  return own.some((name) => classes.has(name)) && !own.includes('computer');
}

/** The id that the directory has given, which an entry keeps when it moves. */
function idOf({ dn, values }: LdifEntry): string {
  const [own] = [...(values.get('entryuuid') ?? []), ...(values.get('nsuniqueid') ?? [])];
  return own ?? uuidOf([normalDn(dn)]);
}

function roleOf(entry: LdifEntry): HouseObject {
  const [name = entry.dn] = entry.values.get('cn') ?? [];
  const [description = name] = entry.values.get('description') ?? [];
  return { id: idOf(entry), content: { name, description }, notes: [] };
}

function userOf(type: ManagedType | undefined, entry: LdifEntry): HouseObject {
  const content: JsonObject = {};
  for (const [property, names] of Object.entries(PROPERTIES)) {
    const values = names.map((name) => entry.values.get(name)).find((found) => found !== undefined);
    const value = values === undefined ? undefined : valueFor(type, property, values);
    if (value !== undefined) content[property] = value;
  }
  const isDisabled = Object.entries(DISABLED).some(
    ([name, says]) => entry.values.get(name)?.some(says) === true,
  );
  const status = valueFor(type, 'accountStatus', [isDisabled ? 'inactive' : 'active']);
  if (status !== undefined) content['accountStatus'] = status;
  const notes: string[] = [];
  const [given] = entry.values.get('userpassword') ?? [];
  const hash = given === undefined ? undefined : ldapPassword(given);
  if (given !== undefined && hash === undefined)
    notes.push('Its password is plain, or hashed in a way that is not known here: it needs a new one');
  if (hash !== undefined && isDisabled && status === undefined)
    notes.push("It is disabled there and there is no 'accountStatus' here: it comes without its password");
  else if (hash !== undefined && type?.compiled.has('password') === true) content['password'] = hash;
  return { id: idOf(entry), content, notes };
}
