/** What comes from other houses: a server of the family over REST, a realm of Keycloak, LDIF and CSV. */
import { argon2Sync, createHash, pbkdf2Sync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHouse } from '#cli/import/houses/open-house.ts';
import { GROUPS } from '#cli/import/repository/import-source.ts';
import { runImport } from '#cli/import/repository/run-import.ts';
import type { Tally } from '#cli/import/repository/tally.ts';
import { verifyImport } from '#cli/import/repository/verify-import.ts';
import { openCrypto, readKeyRing } from '#crypto/index.ts';
import { matchesPassword } from '#crypto/password-hash.ts';
import type { Database } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { ManagedTypes } from '#managed/index.ts';
import { shippedAuthentication } from '../../support/authentication-config.ts';
import { foreignHash } from '../../support/foreign-repository.ts';
import { COMMON_RING } from '../../support/key-ring.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const text = { type: 'string' };
const edges = (path: string, reverse: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    reverseRelationship: true,
    reversePropertyName: reverse,
    resourceCollection: [{ path }],
  },
});
const types = new ManagedTypes();
types.replace([
  {
    name: 'user',
    schema: {
      required: ['userName', 'mail'],
      properties: {
        userName: text,
        givenName: text,
        sn: text,
        mail: text,
        accountStatus: text,
        phones: { type: 'array', items: text },
        level: { type: 'number' },
        secret: { ...text, encryption: { key: 'svc-sym-default' } },
        password: { ...text, scope: 'private', secureHash: { algorithm: 'ARGON2ID' } },
        roles: edges('managed/role', 'members'),
      },
    },
  },
  {
    name: 'role',
    schema: { properties: { name: text, description: text, members: edges('managed/user', 'roles') } },
  },
]);

let folder: string;
let database: Database & AsyncDisposable;
let options: Omit<Parameters<typeof runImport>[0], 'source'>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-houses-'));
  database = await createMigratedDatabase();
  const { text: ring } = await readKeyRing({ variable: COMMON_RING, dataDirectory: folder });
  const crypto = openCrypto({ keyRing: ring });
  const common = { database, types, crypto, ring, authentication: shippedAuthentication() };
  const how = { role: 'svc-authorized', only: new Set(GROUPS), keepDays: 365 };
  options = { ...common, ...how, isApplied: true, deletes: false, isQuick: false };
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const table of ['managed_object', 'repo_object', 'relationship', 'import_item'])
    await sql`delete from ${sql.table(table)}`.execute(database.db);
});

async function write(name: string, content: string | object): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function opened(place: string, password?: string) {
  const given = { place, password, schema: undefined, user: undefined, type: undefined };
  return openHouse(given, { types, crypto: options.crypto, projectLocation: folder });
}

const deletedOf = ({ about, deleted }: Tally['kinds'][number]) =>
  deleted === 0 ? [] : [`${about} ${deleted}`];

/** What a run says, by kind; and its remarks. */
async function brought(place: string, more: Partial<typeof options> = {}, password?: string) {
  await using source = await opened(place, password);
  const tally = await runImport({ ...options, ...more, source });
  const read = tally.kinds.filter(({ read }) => read > 0);
  const created = Object.fromEntries(read.map(({ about, created }) => [about, created]));
  const remarks = tally.remarks.map(({ about, count, reason }) => `${about} ${count}: ${reason}`);
  const verified = await verifyImport({ ...options, ...more, source });
  return { created, remarks, isSame: !verified.hasLeft, deleted: tally.kinds.flatMap(deletedOf) };
}

async function stored(type: string): Promise<ReadonlyMap<string, JsonObject>> {
  const rows = await database.db
    .selectFrom('managed_object')
    .select(['id', 'data'])
    .where('type', '=', type)
    .execute();
  return new Map(rows.map(({ id, data }) => [id, data as JsonObject]));
}

async function granted(): Promise<string[]> {
  const { rows } = await sql<{ edge: string }>`
    select first_collection || '/' || first_id || ' ' || coalesce(first_property, '') || ' ' || second_id as edge
    from relationship order by 1`.execute(database.db);
  return rows.map(({ edge }) => edge);
}

describe('a realm of Keycloak', () => {
  const salt = Buffer.alloc(16, 9);
  const credential = (value: Buffer, data: object) => ({
    type: 'password',
    secretData: JSON.stringify({ value: value.toString('base64'), salt: salt.toString('base64') }),
    credentialData: JSON.stringify(data),
  });
  const pbkdf2 = (password: string, digest: string, length: number) =>
    credential(pbkdf2Sync(password, salt, 1_000, length, digest), {
      hashIterations: 1_000,
      algorithm: digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`,
    });
  const argon2 = credential(
    argon2Sync('argon2id', {
      message: Buffer.from('anna-1'),
      nonce: salt,
      memory: 1_024,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    }),
    {
      hashIterations: 2,
      algorithm: 'argon2',
      additionalParameters: {
        hashLength: ['32'],
        memory: ['1024'],
        type: ['id'],
        version: ['1.3'],
        parallelism: ['1'],
      },
    },
  );
  const user = (username: string, more: object) => ({
    id: `id-${username}`,
    username,
    email: `${username}@example.com`,
    enabled: true,
    ...more,
  });
  const realm = {
    realm: 'house',
    roles: {
      realm: [
        { id: 'r-auditor', name: 'auditor', description: 'Reads all' },
        { id: 'r-own', name: 'offline_access' },
      ],
      client: { shop: [{ id: 'r-shop', name: 'seller', composite: true }], account: [{ name: 'view' }] },
    },
    groups: [
      {
        id: 'g-staff',
        name: 'staff',
        path: '/staff',
        subGroups: [{ id: 'g-it', name: 'it', path: '/staff/it' }],
      },
    ],
    clients: [{ clientId: 'account' }, { clientId: 'shop' }],
    users: [
      user('anna', {
        firstName: 'Anna',
        lastName: 'Vogel',
        credentials: [argon2, { type: 'otp' }],
        realmRoles: ['auditor', 'offline_access'],
        clientRoles: { shop: ['seller'], account: ['view'] },
        groups: ['/staff/it'],
        attributes: { phones: ['1', '2'], level: ['3'], secret: ['plain'], unknown: ['x'] },
      }),
      user('bert', { credentials: [pbkdf2('bert-1', 'sha256', 64)], enabled: false }),
      user('cleo', { credentials: [pbkdf2('cleo-1', 'sha512', 64)] }),
      user('dora', { credentials: [pbkdf2('dora-1', 'sha1', 64)], email: undefined }),
      user('emil', { credentials: [credential(salt, { algorithm: 'bcrypt', hashIterations: 10 })] }),
      user('service-account-shop', { serviceAccountClientId: 'shop' }),
    ],
  };

  it('comes with users who log in as before, roles, and groups as roles', async () => {
    const place = await write('realm.json', realm);
    const plan = await brought(place, { isApplied: false });
    expect([plan.created['managed/user'], (await stored('user')).size]).toEqual([5, 0]);
    const { created, remarks, isSame } = await brought(place);
    expect(isSame).toBe(true);
    expect(created).toEqual({
      'managed/role': 4,
      'managed/user': 5,
      'managed/user/roles': 3,
    });
    expect(created).toEqual(plan.created);
    const users = await stored('user');
    const { password: _, ...anna } = users.get('id-anna') ?? {};
    expect(anna).toEqual({
      userName: 'anna',
      givenName: 'Anna',
      sn: 'Vogel',
      mail: 'anna@example.com',
      accountStatus: 'active',
      phones: ['1', '2'],
      level: 3,
    });
    expect(users.get('id-bert')).toMatchObject({ accountStatus: 'inactive' });
    for (const name of ['anna', 'bert', 'cleo', 'dora']) {
      const hash = users.get(`id-${name}`)?.['password'];
      const matches = [await matchesPassword(`${name}-1`, hash), await matchesPassword(`${name}-2`, hash)];
      expect([name, ...matches]).toEqual([name, true, false]);
    }
    expect(users.get('id-emil')).not.toHaveProperty('password');
    expect([...(await stored('role')).values()].map(({ name }) => name).sort()).toEqual([
      '/staff',
      '/staff/it',
      'auditor',
      'shop:seller',
    ]);
    expect((await granted()).join()).toMatch(/id-anna/);
    const said = remarks.join('\n');
    for (const part of [
      /managed\/user 1: .*'otp' stays/,
      /managed\/user 1: .*attribute 'unknown'/,
      /managed\/user 1: .*attribute 'secret'/,
      /managed\/user 1: .*hashed by bcrypt/,
      /managed\/user 1: It has no 'mail'/,
      /managed\/role 1: It is made of other roles/,
      /clients 1: /,
      /service accounts 1: /,
    ]) {
      expect(said).toMatch(part);
    }
  });

  it('brings nothing a second time, what has changed once, and nothing that was changed here', async () => {
    await brought(await write('realm.json', realm));
    const again = await brought(await write('realm.json', realm));
    expect(again.created).toEqual({ 'managed/role': 0, 'managed/user': 0, 'managed/user/roles': 0 });
    await sql`update managed_object set rev = rev + 1, data = data || '{"sn": "Here"}' where id = 'id-anna'`.execute(
      database.db,
    );
    const [anna, bert, ...others] = realm.users;
    const users = [{ ...anna, lastName: 'There' }, { ...bert, lastName: 'There' }, ...others];
    await brought(await write('realm.json', { ...realm, users }));
    const now = await stored('user');
    expect([now.get('id-anna')?.['sn'], now.get('id-bert')?.['sn']]).toEqual(['Here', 'There']);
  });

  it('is refused where there is none', async () => {
    for (const content of ['{', '[]', '{"users": []}'])
      await expect(opened(await write('other.json', content))).rejects.toThrow(/other\.json/);
  });
});

const ssha = (digest: string, scheme: string, salt: Buffer) =>
  `{${scheme}}${Buffer.concat([createHash(digest).update('ldap-1').update(salt).digest(), salt]).toString('base64')}`;

describe('a file of LDIF', () => {
  it('brings people with salted hashes, and groups with their members', async () => {
    const place = await write(
      'people.ldif',
      `version: 1
# everybody
dn: uid=jo,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: jo
cn: Jo Lee
sn:: ${Buffer.from('Müller').toString('base64')}
givenName: Jo
mail: jo@
 example.com
userPassword:: ${Buffer.from(ssha('sha512', 'SSHA512', Buffer.alloc(8, 1))).toString('base64')}

dn: uid=kim,ou=people,dc=example,dc=com
objectClass: person
entryUUID: 5f91507c-05f3-4caf-8e6f-41b927915db4
uid: kim
mail: kim@example.com
userPassword: ${ssha('sha1', 'SSHA', Buffer.alloc(4, 1))}

dn: uid=lu,ou=people,dc=example,dc=com
objectClass: person
uid: lu
mail: lu@example.com
userPassword: plain

dn: cn=staff,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: staff
member: UID=jo, ou=people,dc=example,dc=com
member: uid=kim,ou=people,dc=example,dc=com
member: uid=gone,ou=people,dc=example,dc=com

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people
`,
    );
    const { created, remarks, isSame } = await brought(place);
    expect([created, isSame]).toEqual([
      { 'managed/role': 1, 'managed/user': 3, 'managed/user/roles': 2 },
      true,
    ]);
    const users = [...(await stored('user')).values()];
    expect(users.find(({ userName }) => userName === 'jo')).toMatchObject({
      sn: 'Müller',
      mail: 'jo@example.com',
      accountStatus: 'active',
    });
    for (const name of ['jo', 'kim']) {
      const hash = users.find(({ userName }) => userName === name)?.['password'];
      const matches = [await matchesPassword('ldap-1', hash), await matchesPassword('ldap-2', hash)];
      expect([name, ...matches]).toEqual([name, true, false]);
    }
    expect(users.find(({ userName }) => userName === 'lu')).not.toHaveProperty('password');
    expect(remarks).toEqual([
      expect.stringMatching(/^entries 1:/),
      expect.stringMatching(/Its password is plain/),
    ]);
  });

  it.each([
    'pwdAccountLockedTime: 000001010000Z',
    'nsAccountLock: true',
    'ds-pwp-account-disabled: true',
    'loginDisabled: TRUE',
    'userAccountControl: 514',
  ])('brings who has left as inactive: %s', async (says) => {
    const entry = `dn: uid=ex,dc=example\nobjectClass: person\nuid: ex\nmail: ex@example.com\n${says}\n`;
    const place = await write(
      'left.ldif',
      `${entry}userPassword: ${ssha('sha1', 'SSHA', Buffer.alloc(4, 1))}\n`,
    );
    await brought(place);
    expect([...(await stored('user')).values()]).toMatchObject([
      { userName: 'ex', accountStatus: 'inactive' },
    ]);
  });
});

describe('a file of CSV', () => {
  it('brings a type, by the names of its properties', async () => {
    const place = await write(
      'people.csv',
      '_id,userName,mail,level,phones,wrong\r\n"a,""1""",ada,,7,+41,x\n',
    );
    const { created, remarks } = await brought(place);
    expect(created).toEqual({ 'managed/user': 1 });
    expect((await stored('user')).get('a,"1"')).toEqual({ userName: 'ada', level: 7, phones: ['+41'] });
    expect(remarks).toEqual([
      expect.stringMatching(/^column wrong 1:/),
      expect.stringMatching(/It has no 'mail'/),
    ]);
    await expect(opened(await write('twice.csv', 'userName\nx\nx\n'))).rejects.toThrow(/the same 'userName'/);
    await expect(opened(await write('short.csv', 'userName;mail\nx\n'))).rejects.toThrow(/row 2 .* 1 cells/);
  });
});

describe('imports from several places', () => {
  it('neither change nor delete what has come from another one', async () => {
    const house = await write('house.csv', '_id,userName,mail\n1,ada,a@x\n2,bob,b@x\n');
    const school = await write('school.csv', '_id,userName,mail\n2,eve,e@x\n3,cyd,c@x\n');
    await brought(house);
    const second = await brought(school, { deletes: true });
    expect(second.created).toEqual({ 'managed/user': 1 });
    expect(second.remarks).toEqual([
      expect.stringMatching(/^managed\/user 1: There is one here that has not come/),
    ]);
    expect(second.deleted).toEqual([]);
    await write('house.csv', '_id,userName,mail\n2,bob,b@x\n');
    const { deleted } = await brought(house, { deletes: true });
    expect(deleted).toEqual(['managed/user 1']);
    const people = [...(await stored('user')).values()];
    expect(people.map(({ userName }) => userName).sort()).toEqual(['bob', 'cyd']);
  });
});

describe('a server of the family, over REST', () => {
  let family: Server;
  let url: string;
  const asked: string[] = [];
  const users = Array.from({ length: 5 }, (_, at) => ({
    _id: `u${at}`,
    _rev: String(at),
    userName: `user${at}`,
    password: foreignHash('old-password'),
  }));
  const collections: Record<string, readonly object[]> = {
    'repo/internal/role': [{ _id: 'openidm-admin', _rev: '1', description: 'All' }],
    'repo/internal/user': [
      { _id: 'operator', _rev: '1', password: foreignHash('x'), roles: [{ _ref: 'repo/internal/role/a' }] },
    ],
    'repo/managed/user': users,
    'repo/managed/role': [{ _id: 'r', _rev: '0', name: 'r' }],
    'repo/relationships': [
      {
        _id: 'e1',
        _rev: '1',
        firstId: 'managed/role/r',
        firstPropertyName: 'members',
        secondId: 'managed/user/u1',
        secondPropertyName: 'roles',
        properties: null,
      },
    ],
    'repo/link': [
      { _id: 'l', _rev: '1', linkType: 'a_b', linkQualifier: 'default', firstId: '1', secondId: '2' },
    ],
    'scheduler/job': [
      {
        _id: 'nightly',
        enabled: true,
        persisted: true,
        type: 'cron',
        schedule: '0 0 2 * * ?',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: '1' } },
        triggers: [{ state: 0 }],
        nextRunDate: 'x',
      },
    ],
    'workflow/processinstance': [{ _id: '1' }],
  };
  beforeAll(async () => {
    family = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const path = pathname.replace('/openidm/', '');
      asked.push(request.url ?? '');
      const isAdmin = request.headers['x-openidm-password'] === 'right';
      const all = collections[path];
      // It has no filters below /repo/internal.
      const isOld =
        path.startsWith('repo/internal') && searchParams.has('_queryFilter') && searchParams.has('_sortKeys');
      const status = !isAdmin ? 401 : all === undefined ? 404 : isOld ? 500 : 200;
      const from = Number(searchParams.get('_pagedResultsOffset') ?? 0);
      const size = Number(searchParams.get('_pageSize') ?? 1_000);
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(
        JSON.stringify(status === 200 ? { result: all?.slice(from, from + size) } : { code: status }),
      );
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => family.once('listening', resolve));
    url = `http://127.0.0.1:${(family.address() as AddressInfo).port}/openidm`;
  });
  afterAll(() => family.close());

  it('gives objects, edges, people, links and schedules as its database would', async () => {
    const { created, remarks, isSame } = await brought(`${url}/`, {}, 'right');
    expect([created, isSame]).toEqual([
      {
        'repo/internal/role': 1,
        'repo/internal/user': 1,
        'managed/user': 5,
        'managed/role': 1,
        relationship: 1,
        'repo/link': 1,
        'scheduler/job': 1,
      },
      true,
    ]);
    const hash = (await stored('user')).get('u4')?.['password'];
    expect(await matchesPassword('old-password', hash)).toBe(true);
    expect(await granted()).toEqual(['managed/role/r members u1']);
    const { rows } = await sql<{
      paused: boolean;
    }>`select paused from scheduler_job where id = 'nightly'`.execute(database.db);
    expect(rows).toEqual([{ paused: true }]);
    expect(remarks.join('\n')).toMatch(/workflow\/processinstance 1: /);
    const again = await brought(url, {}, 'right');
    expect(again.created['managed/user']).toBe(0);
  });

  it('is read page by page, and refused without the password', async () => {
    await using source = await opened(url, 'right');
    const [step] = (await source.listSteps()).filter(({ about }) => about === 'managed/user');
    const pages: string[] = [];
    for await (const { keys } of step?.pages(2) ?? []) pages.push(keys.join());
    expect(pages).toEqual(['u0,u1', 'u2,u3', 'u4']);
    await expect(opened(url, 'wrong')).rejects.toThrow(/refused the administrator/);
    await expect(opened(url)).rejects.toThrow(/--password-file/);
    expect(asked.join()).not.toMatch(/right|wrong/);
  });
});
