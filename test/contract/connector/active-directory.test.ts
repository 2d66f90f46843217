import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { directoryKind } from '#system/connectors/ldap/ldap-kind.ts';
import { type ChangeBatch, LATEST } from '#system/contract.ts';
import { type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';
import { HAS_SAMBA, type Samba, startSamba } from '../../support/samba.ts';

/** Several of its controllers at once there cannot be: the ports of a domain are not for choice. */
let samba: Samba | undefined;
let users = 0;

async function start(): Promise<ConnectorFixture> {
  samba ??= await startSamba();
  const { host, suffix, principal, password, caFile } = samba;
  const place = `cn=Users,${suffix}`;
  const nothing = async () => {};
  return {
    kind: directoryKind,
    // Its certificate is for its name, and it is on this machine.
    host: { connect: ({ port }) => connect({ host: '127.0.0.1', port }), resolveFile: (path) => path },
    config: {
      name: 'ad',
      connectorRef: { connectorName: 'Org.IdentityConnectors.ActiveDirectory.ActiveDirectoryConnector' },
      configurationProperties: {
        host,
        port: 636,
        ssl: true,
        caFile,
        principal,
        credentials: password,
        baseContexts: [place],
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__', required: true },
            login: { type: 'string', nativeName: 'sAMAccountName' },
            cn: { type: 'string' },
            sn: { type: 'string' },
            title: { type: 'string', nativeName: 'description' },
            phones: { type: 'array', items: { type: 'string' }, nativeName: 'otherTelephone' },
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
        group: {
          nativeType: '__GROUP__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__', required: true },
            members: { type: 'array', items: { type: 'string' }, nativeName: 'member' },
          },
        },
      },
    },
    draft: (object) => ({ dn: `cn=${object['login']},${place}`, ...object }),
    many: 0,
    multitude: 0,
    manyFilters: 0,
    seed: nothing,
    empty: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

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
    await site.patch(id, [
      { operation: 'replace', field: '/dn', value: `cn=other ${name},cn=Users,dc=ad,dc=example,dc=com` },
    ]);
    expect(await site.read(id)).toMatchObject({ login: name, cn: `other ${name}` });
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

  it('shows all members of a group, however many it shows at once, and who is in which', async () => {
    await using groups = new ConnectorSite({
      ...fixture,
      config: {
        ...fixture.config,
        objectTypes: {
          account: (fixture.config['objectTypes'] as JsonObject)['group'] as JsonObject,
        },
      },
    });
    const one = await make();
    const dn = String((await site.read(one.id))?.['dn']);
    const group = await groups.create({ dn: 'cn=everybody,cn=Users,dc=ad,dc=example,dc=com', members: [dn] });
    expect((await site.read(one.id))?.['memberOf']).toEqual([
      'CN=everybody,CN=Users,DC=ad,DC=example,DC=com',
    ]);
    const other = await make();
    const otherDn = String((await site.read(other.id))?.['dn']);
    await groups.patch(group, [{ operation: 'add', field: '/members/-', value: otherDn }]);
    await groups.patch(group, [{ operation: 'remove', field: '/members', value: dn }]);
    expect((await groups.read(group))?.['members']).toEqual([otherDn]);
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
