import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isObject, type JsonObject } from '#json/index.ts';
import { type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';

/** What every connector refuses, and what it does for as long as somebody has it do something (`SVC_CONNECTOR_MINUTES`). */
export function describeRefusals(fixtureOf: () => ConnectorFixture, siteOf: () => ConnectorSite): void {
  it('lets nobody in whose login is wrong', async ({ skip }) => {
    const { wrongLogin, config } = fixtureOf();
    if (wrongLogin === undefined) return skip('nobody logs in there');
    const given = config['configurationProperties'];
    await using site = new ConnectorSite(fixtureOf(), {
      configurationProperties: { ...(isObject(given) ? given : {}), ...wrongLogin },
    });
    expect(await errorId(site.system.test())).toBe('SYSTEM_INVALID_CREDENTIALS');
    expect(await errorId(site.list())).toBe('SYSTEM_INVALID_CREDENTIALS');
    expect(JSON.stringify(site.told)).not.toContain(Object.values(wrongLogin)[0]);
  });

  it('refuses to write what nobody may, and writes nothing else with it', async ({ skip }) => {
    const fixture = fixtureOf();
    const { readOnly } = fixture;
    if (readOnly === undefined) return skip('all of it may be written');
    await using site = siteWith(fixture, { fixed: { type: 'string', nativeName: readOnly } });
    const id = await site.create(fixture.draft({ login: 'dora', title: 'Engineer' }));
    const change = site.patch(id, [
      { operation: 'replace', field: '/title', value: 'Director' },
      { operation: 'replace', field: '/fixed', value: '7' },
    ]);
    expect(await errorId(change)).toBe('SYSTEM_INVALID');
    expect(await site.read(id)).toMatchObject({ title: 'Engineer' });
  });

  it('keeps bytes as bytes', async ({ skip }) => {
    const fixture = fixtureOf();
    const { bytes } = fixture;
    if (bytes === undefined) return skip('it keeps no bytes');
    const photo = { type: 'string', nativeName: bytes, nativeType: 'JAVA_TYPE_BYTE_ARRAY' };
    await using site = siteWith(fixture, { photo });
    const all = Buffer.from([0xff, 0xd8, 0, 1, 0xc3, 0x28, 0xfe, 13, 10, ...Array(256).keys()]);
    const written = all.toString('base64');
    const id = await site.create(fixture.draft({ login: 'dora', photo: written }));
    expect(await site.read(id)).toMatchObject({ photo: written });
    const other = Buffer.from(all.toReversed()).toString('base64');
    await site.patch(id, [{ operation: 'replace', field: '/photo', value: other }]);
    expect(await site.list('login eq "dora"')).toMatchObject([{ photo: other }]);
    await site.patch(id, [{ operation: 'remove', field: '/photo' }]);
    expect((await site.read(id))?.['photo']).toBeUndefined();
  });

  it('has at the end what a model has with which the same is done', async () => {
    const endsAt = performance.now() + Number(process.env['SVC_CONNECTOR_MINUTES'] ?? 0) * 60_000;
    const site = siteOf();
    const ids = new Map<string, string>();
    const model = new Map<string, Person>();
    let count = 0;
    do {
      for (const step of fc.sample(arbitraryStep, 40)) {
        count += 1;
        await take(site, model, ids, step, `user${count}`);
      }
      const listed = (await site.list()).map(({ login, title, mails }) => [
        login,
        title,
        [mails ?? []].flat().toSorted(),
      ]);
      const expected = [...model].map(([login, { title, mails }]) => [login, title, [...mails].toSorted()]);
      expect(listed.toSorted()).toEqual(expected.toSorted());
    } while (performance.now() < endsAt);
  });
}

interface Person {
  readonly title: string | undefined;
  readonly mails: ReadonlySet<string>;
}

const arbitraryStep = fc.record({
  does: fc.constantFrom('create', 'create', 'title', 'no title', 'add', 'remove', 'delete'),
  whom: fc.nat(1_000),
  word: fc.constantFrom('a', 'b', 'ü', 'x'.repeat(300)),
});
type Step = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never;

async function take(
  site: ConnectorSite,
  model: Map<string, Person>,
  ids: Map<string, string>,
  { does, whom, word }: Step,
  next: string,
): Promise<void> {
  const login = [...model.keys()][whom % Math.max(1, model.size)];
  const id = ids.get(login ?? '');
  const person = model.get(login ?? '');
  if (does === 'create' || login === undefined || id === undefined || person === undefined) {
    ids.set(next, await site.create(site.fixture.draft({ login: next, title: word })));
    model.set(next, { title: word, mails: new Set() });
    return;
  }
  const hasSeveral = site.fixture.lacks?.severalValues !== true;
  switch (does) {
    case 'title':
      await site.patch(id, [{ operation: 'replace', field: '/title', value: word }]);
      model.set(login, { ...person, title: word });
      break;
    case 'no title':
      await site.patch(id, [{ operation: 'remove', field: '/title' }]);
      model.set(login, { ...person, title: undefined });
      break;
    case 'add':
      if (!hasSeveral) break;
      await site.patch(id, [{ operation: 'add', field: '/mails/-', value: word }]);
      model.set(login, { ...person, mails: new Set([...person.mails, word]) });
      break;
    case 'remove':
      if (!hasSeveral) break;
      await site.patch(id, [{ operation: 'remove', field: '/mails', value: word }]);
      model.set(login, { ...person, mails: new Set([...person.mails].filter((one) => one !== word)) });
      break;
    default:
      await site.delete(id);
      model.delete(login);
  }
}

/** A system whose accounts have one property more. */
function siteWith(fixture: ConnectorFixture, more: JsonObject): ConnectorSite {
  const { objectTypes } = fixture.config;
  const account = isObject(objectTypes) && isObject(objectTypes['account']) ? objectTypes['account'] : {};
  const properties = isObject(account['properties']) ? account['properties'] : {};
  return new ConnectorSite(fixture, {
    objectTypes: { account: { ...account, properties: { ...properties, ...more } } },
  });
}
