import { Client } from 'ldapts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { directorySite, GROUPS, PEOPLE } from '../../support/connector/directory-site.ts';
import { type ConnectorSite, errorId } from '../../support/connector/fixture.ts';
import { SLAPD, type Slapd, startSlapd } from '../../support/slapd.ts';

const MEMBERS = 'uniqueMember';

describe.skipIf(SLAPD === undefined)('a directory with a policy for passwords', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd(undefined, { policy: true });
  });
  afterAll(() => slapd?.[Symbol.asyncDispose]());
  afterEach(() => slapd.empty());

  const siteOfManager = (configuration: JsonObject = {}) =>
    directorySite(slapd, { principal: slapd.manager, baseContexts: [PEOPLE, GROUPS], ...configuration });
  const logIn = (site: ConnectorSite, password: string) =>
    site.system.authenticate(site.type, 'Dora', password);

  /** What stands in an attribute, as the administrator of the directory sees it. */
  async function stored(dn: string, attribute: string): Promise<readonly string[]> {
    const client = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
    try {
      await client.bind(slapd.principal, slapd.password);
      const { searchEntries } = await client.search(dn, { scope: 'base', attributes: [attribute] });
      return [searchEntries[0]?.[attribute] ?? []].flat().map(String);
    } finally {
      await client.unbind();
    }
  }

  it('sets passwords itself, so that it keeps none as it comes', async () => {
    await using site = siteOfManager();
    const dn = `cn=Dora,${PEOPLE}`;
    const id = await site.create({ dn, sn: 'D', password: 'Open-Sesame-1' });
    expect(await stored(dn, 'userPassword')).toEqual([expect.stringMatching(/^\{SSHA\}/)]);
    expect(await logIn(site, 'Open-Sesame-1')).toBe(id);
    await site.patch(id, [
      { operation: 'replace', field: '/password', value: 'Öther-Words-2' },
      { operation: 'replace', field: '/sn', value: 'E' },
    ]);
    expect(await stored(dn, 'userPassword')).toEqual([expect.stringMatching(/^\{SSHA\}/)]);
    expect(await logIn(site, 'Öther-Words-2')).toBe(id);
    expect(await site.read(id)).toMatchObject({ sn: 'E' });
  });

  it('is given them as values where that is wanted', async () => {
    await using site = directorySite(slapd, { passwordModify: false });
    const hash = '{SSHA}CjSQRvoZrMq0bRaHgVRdRBWFIGSmRfdz';
    await site.create({ dn: `cn=Dora,${PEOPLE}`, sn: 'D', password: hash });
    expect(await stored(`cn=Dora,${PEOPLE}`, 'userPassword')).toEqual([hash]);
  });

  it('has nobody without a password who was to have one that it refuses', async () => {
    await using site = siteOfManager();
    const refused = site.create({ dn: `cn=Dora,${PEOPLE}`, sn: 'D', password: 'short' });
    expect(await errorId(refused)).toBe('SYSTEM_INVALID');
    expect(await site.list()).toEqual([]);
    const id = await site.create({ dn: `cn=Dora,${PEOPLE}`, sn: 'D', password: 'Open-Sesame-1' });
    const worse = site.patch(id, [{ operation: 'replace', field: '/password', value: 'short' }]);
    expect(await errorId(worse)).toBe('SYSTEM_INVALID');
    expect(await logIn(site, 'Open-Sesame-1')).toBe(id);
  });

  describe('whose groups follow', () => {
    let people: ConnectorSite;
    beforeAll(() => {
      people = siteOfManager({ maintainLdapGroupMembership: true });
    });
    afterAll(() => people[Symbol.asyncDispose]());

    const person = (name: string) => `cn=${name},${PEOPLE}`;
    const group = (name: string) => `cn=${name},${GROUPS}`;
    const rename = (id: string, dn: string) =>
      people.patch(id, [{ operation: 'replace', field: '/dn', value: dn }]);
    const makeGroup = (name: string, ...members: readonly string[]) =>
      slapd.add(
        [
          `dn: ${group(name)}\nobjectClass: groupOfUniqueNames`,
          ...members.map((member) => `${MEMBERS}: ${person(member)}`),
        ].join('\n'),
      );
    const members = (name: string) => stored(group(name), MEMBERS);

    it('who is renamed, also where it is the same name to the directory', async () => {
      const id = await people.create({ dn: person('Dora'), sn: 'D' });
      await makeGroup('staff', 'Dora', 'Other');
      await makeGroup('chiefs', 'Dora');
      await makeGroup('strangers', 'Other');
      await rename(id, person('Zora'));
      expect((await members('staff')).toSorted()).toEqual([person('Other'), person('Zora')]);
      expect(await members('chiefs')).toEqual([person('Zora')]);
      expect(await members('strangers')).toEqual([person('Other')]);
      await rename(id, person('ZORA'));
      expect(await members('chiefs')).toEqual([expect.stringMatching(/^cn=zora,/i)]);
    });

    it('not who keeps the old name, because the new one is taken', async () => {
      const id = await people.create({ dn: person('Dora'), sn: 'D' });
      await people.create({ dn: person('Zora'), sn: 'Z' });
      await makeGroup('staff', 'Dora', 'Other');
      expect(await errorId(rename(id, person('Zora')))).toBe('SYSTEM_ALREADY_EXISTS');
      expect(await members('staff')).toEqual([person('Dora'), person('Other')]);
    });

    it('who is deleted, unless that would leave one of them without a member', async () => {
      const id = await people.create({ dn: person('Dora'), sn: 'D' });
      await makeGroup('staff', 'Dora', 'Other');
      await makeGroup('chiefs', 'Dora');
      const refused = people.delete(id);
      await expect(refused).rejects.toMatchObject({
        code: 400,
        message: expect.stringContaining(group('chiefs')),
      });
      expect(await people.read(id)).toBeDefined();
      expect((await members('staff')).toSorted()).toEqual([person('Dora'), person('Other')]);
      await makeGroup('deputies', 'Dora', 'Other');
      const client = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
      await client.bind(slapd.principal, slapd.password);
      await client.del(group('chiefs'));
      await client.unbind();
      await people.delete(id);
      expect(await people.read(id)).toBeUndefined();
      expect(await members('staff')).toEqual([person('Other')]);
      expect(await members('deputies')).toEqual([person('Other')]);
    });
  });
});
