import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { certificateAuthority } from '../../support/certificates.ts';
import { directorySite, GROUPS, PEOPLE } from '../../support/connector/directory-site.ts';
import { errorId } from '../../support/connector/fixture.ts';
import { SLAPD, type Slapd, startSlapd } from '../../support/slapd.ts';

describe.skipIf(SLAPD === undefined)('a directory', () => {
  const authority = certificateAuthority();
  let folder: string;
  let slapd: Slapd;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-ca-'));
    await writeFile(join(folder, 'ca.pem'), authority.certificate);
    const { certificate: cert, key } = authority.issue('localhost');
    slapd = await startSlapd({ cert, key });
  });
  afterAll(async () => {
    await slapd?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  afterEach(() => slapd.empty());

  const siteWith = (configuration: JsonObject, objectTypes: JsonObject = {}) =>
    directorySite(slapd, configuration, objectTypes);

  it.each([
    ['from the beginning', () => ({ ssl: true, port: slapd.tlsPort })],
    ['after the connection is there', () => ({ startTLS: true })],
  ])('is trusted by its certificate, with TLS %s', async (_, security) => {
    await using stranger = siteWith(security());
    expect(await errorId(stranger.system.test())).toBe('SYSTEM_MISCONFIGURED');
    await using friend = siteWith({ ...security(), caFile: join(folder, 'ca.pem') });
    await expect(friend.system.test()).resolves.toBeUndefined();
    await using impostor = siteWith({ ...security(), caFile: join(folder, 'ca.pem'), host: '127.0.0.1' });
    expect(await errorId(impostor.system.test())).toBe('SYSTEM_MISCONFIGURED');
  });

  it('says what is wrong with a login, a place and a base', async () => {
    await using wrong = siteWith({ credentials: 'other' });
    expect(await errorId(wrong.system.test())).toBe('SYSTEM_INVALID_CREDENTIALS');
    await using nowhere = siteWith({ port: 1 });
    expect(await errorId(nowhere.list())).toBe('SYSTEM_UNAVAILABLE');
    await using elsewhere = siteWith({ port: 1, failover: [`ldap://localhost:${slapd.port}`] });
    await expect(elsewhere.system.test()).resolves.toBeUndefined();
    await using baseless = siteWith({ baseContexts: ['ou=nobody,dc=example,dc=com'] });
    await expect(baseless.system.test()).rejects.toThrow("There is no entry 'ou=nobody,dc=example,dc=com'");
  });

  it('keeps bytes as bytes', async () => {
    await using site = siteWith({});
    const photo = Buffer.from([0xff, 0xd8, 0, 1, 0xc3, 0x28, 0xfe]).toString('base64');
    const id = await site.create({ dn: `cn=Dora,${PEOPLE}`, sn: 'D', photo });
    expect(await site.read(id)).toMatchObject({ cn: 'Dora', photo });
  });

  it('names entries by what is awkward in names', async () => {
    await using site = siteWith({});
    const dn = `cn=Smith\\, \\"J\\" \\+ Ödön,${PEOPLE}`;
    const id = await site.create({ dn, sn: 'S' });
    expect(await site.read(id)).toMatchObject({ cn: 'Smith, "J" + Ödön' });
    expect(await site.list({ kind: 'compare', pointer: ['dn'], operator: 'eq', value: dn })).toHaveLength(1);
    await site.delete(id);
    expect(await site.list()).toEqual([]);
  });

  it('refuses an entry without a place, or one that its schema has no word for', async () => {
    await using site = siteWith({});
    expect(await errorId(site.create({ dn: `cn=x,ou=none,${PEOPLE}`, sn: 'x' }))).toBe(
      'SYSTEM_DEPENDENCY_MISSING',
    );
    expect(await errorId(site.create({ dn: `cn=x,${PEOPLE}` }))).toBe('SYSTEM_INVALID');
  });

  it('makes and renames nothing outside of baseContexts, whatever the account of the system may do', async () => {
    await using site = siteWith({});
    await using groups = siteWith({ baseContexts: [GROUPS] });
    for (const dn of [`cn=admin,${GROUPS}`, PEOPLE.replace('people', 'stray'), `cn=x\\,${PEOPLE}`, 'admin'])
      expect([dn, await errorId(site.create({ dn, sn: 'x' }))]).toEqual([dn, 'SYSTEM_INVALID']);
    const id = await site.create({ dn: `cn=Eve,${PEOPLE}`, sn: 'E' });
    const renamed = site.patch(id, [{ operation: 'replace', field: '/dn', value: `cn=Eve,${GROUPS}` }]);
    expect(await errorId(renamed)).toBe('SYSTEM_INVALID');
    expect(await site.read(id)).toMatchObject({ cn: 'Eve' });
    expect(await groups.list()).toEqual([]);
  });

  it.each(['dn', 'entryUUID'])(
    'shows a group to nobody who asks for accounts by name, with ids by %s',
    async (uidAttribute) => {
      await using accounts = siteWith({ uidAttribute, baseContexts: ['dc=example,dc=com'] });
      const group = {
        nativeType: '__GROUP__',
        properties: {
          dn: { type: 'string', nativeName: '__NAME__' },
          cn: { type: 'string' },
          member: { type: 'string', nativeName: 'uniqueMember' },
        },
      };
      await using groups = siteWith({ uidAttribute, baseContexts: [GROUPS] }, { account: group });
      const dn = `cn=board,${GROUPS}`;
      const id = await groups.create({ dn, member: `cn=one,${PEOPLE}` });
      expect(await accounts.read(id)).toBeUndefined();
      expect(await accounts.list({ kind: 'compare', pointer: ['dn'], operator: 'eq', value: dn })).toEqual(
        [],
      );
      const replace = { operation: 'replace', field: '/cn', value: 'taken over' } as const;
      expect(await errorId(accounts.patch(id, [replace]))).toBe('SYSTEM_NOT_FOUND');
      await accounts.delete(id).catch(() => {});
      expect(await groups.read(id)).toMatchObject({ cn: 'board' });
    },
  );

  it('has members of groups added and removed one by one', async () => {
    const group = {
      nativeType: '__GROUP__',
      properties: {
        dn: { type: 'string', nativeName: '__NAME__' },
        member: { type: 'array', items: { type: 'string' }, nativeName: 'uniqueMember' },
      },
    };
    await using site = siteWith({ baseContexts: [GROUPS] }, { account: group });
    const [one, other] = [`cn=one,${PEOPLE}`, `cn=other,${PEOPLE}`];
    const id = await site.create({ dn: `cn=staff,${GROUPS}`, member: [one] });
    await site.patch(id, [{ operation: 'add', field: '/member/-', value: other }]);
    expect((await site.read(id))?.['member']).toEqual([one, other]);
    await site.patch(id, [{ operation: 'remove', field: '/member', value: one }]);
    const last = site.patch(id, [{ operation: 'remove', field: '/member', value: other }]);
    expect(await errorId(last)).toBe('SYSTEM_INVALID');
  });
});
