import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ManagedType, ManagedTypes } from '#managed/index.ts';
import { ForeignSourceError } from '../repository/foreign-source-error.ts';
import type { ImportSource } from '../repository/import-source.ts';
import type { Remark } from '../repository/item.ts';
import type { GivenHouse, HouseOptions } from './given-house.ts';
import { edgeStep, type HouseEdge, type HouseObject, objectStep, uuidOf, valueFor } from './house-rows.ts';
import { keycloakPassword } from './keycloak-password.ts';

const USER = 'user';
const ROLE = 'role';
/** Clients that each realm has, whose roles are rights in Keycloak itself. */
const OWN_CLIENTS = /^(?:account|account-console|admin-cli|broker|realm-management|security-admin-console)$/;
const OWN_ROLES = /^(?:offline_access|uma_authorization|default-roles-.*)$/;
const PROPERTIES = { userName: 'username', givenName: 'firstName', sn: 'lastName', mail: 'email' } as const;

/**
 * A realm as Keycloak exports it (`kc.sh export`): a file, or the folder with `<realm>-realm.json` and `<realm>-users-<n>.json`.
 * Users come with their hashes, groups and roles as roles.
 */
export async function keycloakSource(
  { place }: GivenHouse,
  { types }: Pick<HouseOptions, 'types'>,
): Promise<ImportSource> {
  const realm = await readRealm(place);
  const roles = rolesOf(realm);
  const users = realm.users.map((user) => userOf(types.current().get(USER), roles, user));
  const people = users.flatMap(({ object }) => object ?? []);
  return {
    place: `the realm '${realm.name}' in ${resolve(place)}`,
    listSteps: async () => [
      objectStep(types, ROLE, roles.objects),
      objectStep(types, USER, people),
      edgeStep(
        types,
        { owner: USER, property: grantedBy(types), other: ROLE },
        users.flatMap(({ edges }) => edges),
      ),
    ],
    listLeft: async () => leftOf(realm, users.length - people.length),
  };
}

/** The property by which users have roles. @throws ForeignSourceError where there is none */
function grantedBy(types: ManagedTypes): string {
  const all = [...(types.current().get(USER)?.relationships.values() ?? [])];
  const found = all.find(({ isArray, collections }) => isArray && collections.includes(`managed/${ROLE}`));
  if (found !== undefined && types.current().has(ROLE)) return found.property;
  throw new ForeignSourceError(
    'conf/managed.json needs the types user and role, and a list of references from the one to the other',
  );
}

interface Realm {
  readonly name: string;
  readonly all: JsonObject;
  readonly users: readonly JsonObject[];
}

async function readRealm(place: string): Promise<Realm> {
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const names = isFolder
    ? (await readdir(place)).filter((name) => /-(?:realm|users-\d+)\.json$/.test(name)).sort()
    : [''];
  const files = await Promise.all(names.map((name) => readExport(name === '' ? place : join(place, name))));
  const all = files.find(({ realm, users }) => typeof realm === 'string' && (names.length === 1 || !users));
  if (all === undefined) throw new ForeignSourceError(`${place} is no realm that Keycloak has exported`);
  return { name: String(all['realm']), all, users: files.flatMap(({ users }) => objectsIn(users)) };
}

async function readExport(file: string): Promise<JsonObject> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isObject(parsed)) return parsed;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new ForeignSourceError(`${file} cannot be read: ${said}`, { cause: error });
  }
  throw new ForeignSourceError(`${file} is no realm that Keycloak has exported`);
}

interface Roles {
  readonly objects: readonly HouseObject[];
  /** Ids, by how users name them. */
  readonly ids: ReadonlyMap<string, string>;
}

function rolesOf({ name: realm, all }: Realm): Roles {
  const objects: HouseObject[] = [];
  const ids = new Map<string, string>();
  const add = (key: string, name: string, given: JsonObject, notes: readonly string[]) => {
    const id = textIn(given, 'id') ?? uuidOf([realm, key]);
    ids.set(key, id);
    objects.push({ id, content: { name, description: textIn(given, 'description') ?? name }, notes });
  };
  const roles = memberOf(all, 'roles');
  for (const role of objectsIn(roles['realm'])) {
    const name = textIn(role, 'name') ?? '';
    if (!OWN_ROLES.test(name)) add(`role ${name}`, name, role, compositeNotes(role));
  }
  for (const [client, given] of Object.entries(memberOf(roles, 'client'))) {
    if (OWN_CLIENTS.test(client)) continue;
    for (const role of objectsIn(given)) {
      const name = textIn(role, 'name') ?? '';
      add(`client ${client} ${name}`, `${client}:${name}`, role, compositeNotes(role));
    }
  }
  const walk = (groups: readonly JsonObject[], above: string) => {
    for (const group of groups) {
      const path = textIn(group, 'path') ?? `${above}/${textIn(group, 'name') ?? ''}`;
      add(`group ${path}`, path, group, groupNotes(group));
      walk(objectsIn(group['subGroups']), path);
    }
  };
  walk(objectsIn(all['groups']), '');
  return { objects, ids };
}

function compositeNotes(role: JsonObject): readonly string[] {
  return role['composite'] === true
    ? ['It is made of other roles there: give those to its members, or make a condition']
    : [];
}

function groupNotes(group: JsonObject): readonly string[] {
  const gives = Object.keys(memberOf(group, 'clientRoles')).length + listIn(group, 'realmRoles').length;
  return gives > 0 ? ['The group gives roles to its members there: give them those here'] : [];
}

interface User {
  /** Undefined of an account that is nobody's. */
  readonly object: HouseObject | undefined;
  readonly edges: readonly HouseEdge[];
}

function userOf(type: ManagedType | undefined, { ids }: Roles, user: JsonObject): User {
  if (textIn(user, 'serviceAccountClientId') !== undefined) return { object: undefined, edges: [] };
  const id = textIn(user, 'id') ?? uuidOf([textIn(user, 'username') ?? '']);
  const notes: string[] = [];
  const content: JsonObject = {};
  for (const [property, name] of Object.entries(PROPERTIES)) {
    const value = textIn(user, name);
    const kept = value === undefined ? undefined : valueFor(type, property, [value]);
    if (kept !== undefined) content[property] = kept;
  }
  for (const [name, given] of Object.entries(memberOf(user, 'attributes'))) {
    const values = Array.isArray(given) ? given.map(String) : [String(given)];
    const value = name in content ? undefined : valueFor(type, name, values);
    if (value === undefined)
      notes.push(`Its attribute '${name}' stays: conf/managed.json has no such property`);
    else content[name] = value;
  }
  const isDisabled = user['enabled'] === false;
  const status = valueFor(type, 'accountStatus', [isDisabled ? 'inactive' : 'active']);
  if (status !== undefined) content['accountStatus'] = status;
  const { password, notes: said } = keycloakPassword(user);
  notes.push(...said);
  if (password !== undefined && isDisabled && status === undefined) {
    notes.push("It is disabled there and there is no 'accountStatus' here: it comes without its password");
  } else if (password !== undefined && type?.compiled.has('password') === true) {
    content['password'] = password;
  }
  if (objectsIn(user['federatedIdentities']).length > 0)
    notes.push('Its log-ins by other providers stay: people are found by what their tokens say');
  const named = [
    ...listIn(user, 'realmRoles').map((role) => `role ${role}`),
    ...Object.entries(memberOf(user, 'clientRoles')).flatMap(([client, roles]) =>
      (Array.isArray(roles) ? roles : []).map((role) => `client ${client} ${String(role)}`),
    ),
    ...listIn(user, 'groups').map((path) => `group ${path}`),
  ];
  const edges = [...new Set(named)].flatMap((name): HouseEdge[] => {
    const role = ids.get(name);
    return role === undefined ? [] : [[id, role]];
  });
  return { object: { id, content, notes }, edges };
}

function leftOf({ all }: Realm, accounts: number): readonly (Remark & { readonly count: number })[] {
  const clients = objectsIn(all['clients']).filter(
    ({ clientId }) => !OWN_CLIENTS.test(String(clientId ?? '')),
  ).length;
  const left = (about: string, count: number, reason: string) =>
    count === 0 ? [] : [{ about, id: null, count, reason, isLeft: true }];
  return [
    ...left('clients', clients, 'This server gives no tokens to other applications: keep Keycloak for them'),
    ...left('service accounts', accounts, 'They are their clients: make a key for each (svc api-key)'),
    ...left(
      'identityProviders',
      objectsIn(all['identityProviders']).length,
      'They go to authentication.json',
    ),
  ];
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isObject(member) ? member : {};
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function listIn(object: JsonObject, name: string): readonly string[] {
  const list = object[name];
  return Array.isArray(list) ? list.map(String) : [];
}

function textIn(object: JsonObject, name: string): string | undefined {
  const text = object[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
