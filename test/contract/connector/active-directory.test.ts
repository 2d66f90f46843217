import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#json/index.ts';
import { LdapConnections } from '#system/connectors/ldap/ldap-connections.ts';
import { directoryKind } from '#system/connectors/ldap/ldap-kind.ts';
import { withAllValues } from '#system/connectors/ldap/range-retrieval.ts';
import { type ChangeBatch, LATEST, Secret } from '#system/contract.ts';
import { behind, type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';
import { HAS_SAMBA, type Samba, startSamba } from '../../support/samba.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeColumn } from './connector-changes.ts';
import { describeConnector } from './connector-suite.ts';

/** Several of its controllers at once there cannot be: the ports of a domain are not for choice. */
let samba: Samba | undefined;
let users = 0;

const SUFFIX = 'dc=ad,dc=example,dc=com';
const PLACE = `ou=people,${SUFFIX}`;
const GROUP_TYPE = {
  nativeType: '__GROUP__',
  properties: {
    dn: { type: 'string', nativeName: '__NAME__', required: true },
    members: { type: 'array', items: { type: 'string' }, nativeName: 'member' },
  },
};

async function start(changes = 'dirSync'): Promise<ConnectorFixture> {
  if (samba === undefined) {
    samba = await startSamba();
    await samba.add(`dn: ${PLACE}\nobjectClass: organizationalUnit\n`);
  }
  const { host, principal, password, caFile, add, empty } = samba;
  const proxy = await TcpProxy.open(() => ({ host: '127.0.0.1', port: 636 }), Math.random);
  return {
    kind: directoryKind,
    // Its certificate is for its name, and it is on this machine.
    host: { connect: ({ port }) => connect({ host: '127.0.0.1', port }), resolveFile: (path) => path },
    config: {
      name: 'ad',
      connectorRef: { connectorName: 'Org.IdentityConnectors.ActiveDirectory.ActiveDirectoryConnector' },
      configurationProperties: {
        host,
        port: proxy.port,
        ssl: true,
        caFile,
        principal,
        credentials: password,
        baseContexts: [PLACE],
        changes,
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__', required: true },
            login: { type: 'string', nativeName: 'cn' },
            account: { type: 'string', nativeName: 'sAMAccountName' },
            sn: { type: 'string' },
            title: { type: 'string', nativeName: 'comment' },
            age: { type: 'integer', nativeName: 'employeeNumber' },
            mails: { type: 'array', items: { type: 'string' }, nativeName: 'otherMailbox' },
            enabled: { type: 'boolean', nativeName: '__ENABLE__' },
            control: { type: 'string', nativeName: 'userAccountControl' },
            memberOf: {
              type: 'array',
              items: { type: 'string' },
              flags: ['NOT_CREATABLE', 'NOT_UPDATEABLE'],
            },
            photo: { type: 'string', nativeType: 'JAVA_TYPE_BYTE_ARRAY', nativeName: 'thumbnailPhoto' },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
      },
    },
    draft: (object) => ({
      dn: `cn=${object['login']},${PLACE}`,
      account: String(object['login']).slice(0, 20),
      ...object,
    }),
    wrongLogin: { credentials: 'of-nobody' },
    readOnly: 'whenCreated',
    bytes: 'thumbnailPhoto',
    // What is written there passes through the security of accounts, a few dozen a second.
    many: 400,
    crowd: 1_500,
    multitude: 3_000,
    mostValues: 1_000,
    manyFilters: 60,
    seed: (objects) => add(objects.map(ldifOf).join('\n')),
    empty: () => empty(PLACE),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function ldifOf({ dn, account, title, age, mails }: JsonObject): string {
  const values = { dn, sAMAccountName: account, comment: title, employeeNumber: age, otherMailbox: mails };
  const lines = Object.entries(values).flatMap(([name, given]) =>
    given === undefined
      ? []
      : [given].flat().map((value) => `${name}:: ${Buffer.from(String(value)).toString('base64')}`),
  );
  return `${[lines[0], 'objectClass: user', ...lines.slice(1)].join('\n')}\n`;
}

if (HAS_SAMBA) {
  describeConnector('for Active Directory', start);
  describeColumn('by the numbers of Active Directory', () => start('uSNChanged'));
} else describe.skip('the connector for Active Directory (npm run test:samba)');

describe.skipIf(!HAS_SAMBA)('Active Directory (npm run test:samba)', () => {
  let fixture: ConnectorFixture;
  let site: ConnectorSite;
  beforeAll(async () => {
    fixture = await start();
    site = new ConnectorSite(fixture);
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await samba?.[Symbol.asyncDispose]();
  });

  const login = () => `user${++users}`;
  const make = async (object: JsonObject = {}) => {
    const name = login();
    return { name, id: await site.create(fixture.draft({ login: name, ...object })) };
  };
  const logIn = (name: string, password: string) => site.system.authenticate(site.type, name, password);
  const batches = async (token: string) => {
    const all: ChangeBatch[] = [];
    for await (const batch of site.changes(token)) all.push(batch);
    return all;
  };

  it('is reached, and describes itself so that a system can begin with it', async () => {
    await site.system.test();
    const [accounts] = await site.system.schema();
    const names = accounts?.attributes.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['__NAME__', '__PASSWORD__', '__ENABLE__', 'sAMAccountName', 'mail']),
    );
  });

  it('says by its own id who somebody is, in the form that administrators know', async () => {
    const { id, name } = await make({ sn: 'Ångström', title: 'quoted, "\\" and #' });
    expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await site.read(id)).toMatchObject({ login: name, sn: 'Ångström', title: 'quoted, "\\" and #' });
    expect(await site.list(`login eq "${name}"`)).toMatchObject([{ _id: id }]);
    expect(await site.list(`_id eq "${id}"`)).toMatchObject([{ login: name }]);
    expect(await site.read('00000000-0000-0000-0000-000000000000')).toBeUndefined();
    expect(await site.read('no id at all')).toBeUndefined();
    await site.patch(id, [{ operation: 'replace', field: '/dn', value: `cn=other ${name},${PLACE}` }]);
    expect(await site.read(id)).toMatchObject({ account: name, login: `other ${name}` });
  });

  it('enables and disables an account, and leaves the other bits alone', async () => {
    const { id } = await make({ password: 'Some-Words-17', enabled: false });
    expect(await site.read(id)).toMatchObject({ enabled: false, control: '514' });
    await site.patch(id, [{ operation: 'replace', field: '/control', value: '66050' }]);
    await site.patch(id, [{ operation: 'replace', field: '/enabled', value: true }]);
    expect(await site.read(id)).toMatchObject({ enabled: true, control: '66048' });
    expect(await site.list(`_id eq "${id}" and enabled eq true`)).toHaveLength(1);
    await site.patch(id, [{ operation: 'replace', field: '/enabled', value: false }]);
    expect(await site.read(id)).toMatchObject({ enabled: false, control: '66050' });
  });

  it('takes a password as it wants it, and lets in who knows it', async () => {
    const { id, name } = await make({ password: 'Some-Words-17' });
    expect(await site.read(id)).toMatchObject({ enabled: true });
    expect(await logIn(name, 'Some-Words-17')).toBe(id);
    await site.patch(id, [{ operation: 'replace', field: '/password', value: 'Öther-Words-18' }]);
    expect(await logIn(name, 'Öther-Words-18')).toBe(id);
    await expect(logIn(name, 'Wrong-Words-19')).rejects.toMatchObject({ code: 401 });
    const weak = site.patch(id, [{ operation: 'replace', field: '/password', value: 'a' }]);
    await expect(weak).rejects.toMatchObject({ code: 400 });
    expect(JSON.stringify([await site.read(id), site.told])).not.toContain('Words-1');
  });

  it('keeps bytes as bytes', async () => {
    const photo = Buffer.from([0, 255, 128, 10, 13]).toString('base64');
    const { id } = await make({ photo });
    expect(await site.read(id)).toMatchObject({ photo });
  });

  const siteOfGroups = () =>
    new ConnectorSite({
      ...fixture,
      config: { ...fixture.config, objectTypes: { account: GROUP_TYPE } },
    });

  it('shows the members of a group, and who is in which', async () => {
    await using groups = siteOfGroups();
    const one = await make();
    const dn = String((await site.read(one.id))?.['dn']);
    const group = await groups.create({ dn: `cn=everybody,${PLACE}`, members: [dn] });
    expect((await site.read(one.id))?.['memberOf']).toEqual([
      'CN=everybody,OU=people,DC=ad,DC=example,DC=com',
    ]);
    const other = await make();
    const otherDn = String((await site.read(other.id))?.['dn']);
    await groups.patch(group, [{ operation: 'add', field: '/members/-', value: otherDn }]);
    await groups.patch(group, [{ operation: 'remove', field: '/members', value: dn }]);
    expect((await groups.read(group))?.['members']).toEqual([otherDn]);
  });

  it('shows all members of a group, however few of them it shows at once', async () => {
    if (samba === undefined) throw new Error('There is no domain controller');
    const names = Array.from(
      { length: 2_500 },
      (_, at) => `CN=contact${at},OU=people,DC=ad,DC=example,DC=com`,
    );
    const contacts = names.map((name) => `dn: ${name}\nobjectClass: contact\n`);
    const dn = `CN=many,${PLACE}`;
    const group = `dn: ${dn}\nobjectClass: group\n${names.map((name) => `member: ${name}\n`).join('')}`;
    await samba.add([...contacts, group].join('\n'));
    await using groups = siteOfGroups();
    const [whole] = await groups.list(`dn eq "${dn}"`);
    expect([whole?.['members']].flat().toSorted()).toEqual(names.toSorted());
    // Samba shows them all unless it is asked for some of them, as others answer by themselves.
    const { host, principal, password, caFile } = samba;
    const connections = new LdapConnections(
      {
        places: [{ host, port: 636 }],
        security: 'tls',
        tls: { ca: readFileSync(caFile, 'utf8') },
        principal,
        credentials: new Secret(password),
      },
      () => connect({ host: '127.0.0.1', port: 636 }),
    );
    const { signal } = new AbortController();
    const attributes = ['member;range=0-999'];
    const { searchEntries } = await connections.read(signal, (client) => client.search(dn, { attributes }));
    const [part] = searchEntries;
    expect(Object.keys(part ?? {})).toContain('member;range=0-999');
    const all = await withAllValues(connections, signal, part ?? { dn });
    connections.close();
    expect(Object.keys(all).filter((name) => name.startsWith('member'))).toEqual(['member']);
    expect([all['member']].flat().map(String).toSorted()).toEqual(names.toSorted());
  });

  it('tells who may not replicate what has changed by its numbers', async () => {
    const { name } = await make({ password: 'Some-Words-17' });
    const { configurationProperties } = fixture.config;
    const siteOf = (changes: string) =>
      new ConnectorSite({
        ...fixture,
        config: {
          ...fixture.config,
          configurationProperties: {
            ...(isObject(configurationProperties) ? configurationProperties : {}),
            principal: `${name}@ad.example.com`,
            credentials: 'Some-Words-17',
            changes,
          },
        },
      });
    await using refused = siteOf('dirSync');
    const words = expect.stringContaining("'changes' uSNChanged does without");
    await expect(refused.changes(LATEST).next()).rejects.toMatchObject({ message: words });
    await using other = siteOf('uSNChanged');
    const { value: now } = await other.changes(LATEST).next();
    const made = await make();
    const told: ChangeBatch[] = [];
    for await (const batch of other.changes(now?.token ?? '')) told.push(batch);
    const changes = told.flatMap((batch) => batch.changes);
    expect(changes.map((one) => (one.kind === 'upsert' ? one.entry.id : one.id))).toContain(made.id);
    const strange = JSON.stringify({ ...JSON.parse(now?.token ?? ''), controller: 'another-one' });
    expect(await errorId(other.changes(strange).next())).toBe('SYSTEM_TOKEN_EXPIRED');
  });

  it('tells what is made, changed, deleted and moved away since a cookie, and goes on with it', async () => {
    const [now] = await batches(LATEST);
    expect(now).toMatchObject({ changes: [], isLast: true });
    const made = await make();
    const gone = await make();
    const first = await batches(now?.token ?? '');
    expect(
      first
        .flatMap(({ changes }) => changes)
        .map((one) => [one.kind, one.kind === 'upsert' ? one.entry.id : one.id]),
    ).toEqual(
      expect.arrayContaining([
        ['upsert', made.id],
        ['upsert', gone.id],
      ]),
    );
    await site.delete(gone.id);
    await site.patch(made.id, [{ operation: 'replace', field: '/sn', value: 'Changed' }]);
    const second = (await batches(first.at(-1)?.token ?? '')).flatMap(({ changes }) => changes);
    expect(second).toHaveLength(2);
    expect(second).toEqual(
      expect.arrayContaining([
        { kind: 'delete', id: gone.id },
        { kind: 'upsert', entry: expect.objectContaining({ id: made.id }) },
      ]),
    );
    expect(await errorId(batches('{"mode":"entryCSN"}'))).toBe('SYSTEM_TOKEN_EXPIRED');
  });
});
