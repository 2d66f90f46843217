import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';
import { eventually } from '../../support/eventually.ts';

const OPERATIONS = ['TEST', 'GET', 'SEARCH', 'CREATE', 'UPDATE', 'DELETE'] as const;

/** Waits for what is slow because the machine is; but for these operations, of which the test says that nobody answers. */
export function patientBut(...hurried: readonly (typeof OPERATIONS)[number][]) {
  const timeoutOf = (operation: (typeof OPERATIONS)[number]) => (hurried.includes(operation) ? 500 : 60_000);
  return { operationTimeout: Object.fromEntries(OPERATIONS.map((one) => [one, timeoutOf(one)])) };
}

/** What may become of a call when the network breaks: it was done, or it is told that nobody knows. */
const OF_NETWORKS = ['none', 'SYSTEM_UNAVAILABLE', 'SYSTEM_TIMEOUT', 'SYSTEM_PROTOCOL'];
/** Of what is held, while many objects are listed: less than they are, and more than one holds for the time being. */
const MOST_BYTES_EACH = 300;
const LEAST_GROWTH = 12 * 2 ** 20;

/** What every connector bears: large values, many objects, and a network at its worst. */
export function describeEndurance(fixtureOf: () => ConnectorFixture, siteOf: () => ConnectorSite): void {
  it('keeps thousands of values of a property, and one of a megabyte', async ({ skip }) => {
    const fixture = fixtureOf();
    await using site = new ConnectorSite(fixture, patientBut());
    const title = 'Ö'.repeat(2 ** 19);
    const long = await site.create(fixture.draft({ login: 'long', title }));
    expect((await site.read(long))?.['title'] === title).toBe(true);
    if (fixture.lacks?.severalValues === true) skip('it has no properties with several values');
    const mails = Array.from(
      { length: fixture.mostValues ?? 10_000 },
      (_, at) => `person${at}@example.com`,
    ).sort();
    const many = await site.create(fixture.draft({ login: 'many', mails }));
    const read = async () => [(await site.read(many))?.['mails']].flat().map(String).sort();
    expect(await read()).toEqual(mails);
    await site.patch(many, [{ operation: 'remove', field: '/mails', value: mails[0] ?? '' }]);
    expect(await read()).toEqual(mails.slice(1));
  });

  it('lists each of thousands once, though others write meanwhile', async () => {
    const fixture = fixtureOf();
    const site = siteOf();
    const logins = Array.from({ length: fixture.crowd ?? 5_000 }, (_, at) => `user${at}`);
    await fixture.seed(logins.map((login) => fixture.draft({ login })));
    const seen: string[] = [];
    const passing: string[] = [];
    const listing = site.system.search(site.type, {
      filter: undefined,
      comparison: 'exact',
      attributes: ['login', 'uid', 'cn'].filter((name) =>
        [...site.type.properties.values()].some(({ native }) => native === name),
      ),
      pageSize: 500,
    });
    for await (const { entry } of listing) {
      seen.push(entry.id);
      if (seen.length % 500 !== 250) continue;
      passing.push(await site.create(fixture.draft({ login: `passing${seen.length}` })));
      const [gone] = passing.length > 3 ? passing.splice(0, 1) : [];
      if (gone !== undefined) await site.delete(gone);
    }
    const ids = new Set((await site.list()).map(({ _id }) => String(_id)));
    for (const id of passing) ids.delete(id);
    const listed = seen.filter((id) => ids.has(id));
    expect(listed).toHaveLength(logins.length);
    expect(new Set(listed).size).toBe(logins.length);
  });

  it('holds no more of many than of a few', async () => {
    const fixture = fixtureOf();
    const site = siteOf();
    const all = Array.from({ length: fixture.multitude }, (_, at) =>
      fixture.draft({ login: `user${at}`, title: 'x'.repeat(200), age: at }),
    );
    await fixture.seed(all);
    const expected = all.splice(0).length;
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const used = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    let count = 0;
    let before = 0;
    let most = 0;
    const listing = site.system.search(site.type, {
      filter: undefined,
      comparison: 'exact',
      attributes: undefined,
    });
    for await (const _ of listing) {
      count += 1;
      if (count === 1_000) before = used();
      else if (count % 5_000 === 0 || count === expected) most = Math.max(most, used());
    }
    expect(count).toBe(expected);
    expect(most - before).toBeLessThan(Math.max(LEAST_GROWTH, MOST_BYTES_EACH * expected));
  });

  it('says nothing of what is secret, whatever happens', async ({ skip }) => {
    const fixture = fixtureOf();
    if (fixture.lacks?.passwords === true) skip('it keeps no passwords');
    await using site = new ConnectorSite(fixture);
    const password = 'Open-Sesame-7731';
    const id = await site.create(fixture.draft({ login: 'dora', password }));
    const failures: unknown[] = [];
    const fail = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => failures.push(error),
      );
    await fail(site.create(fixture.draft({ login: 'dora', password })));
    await fail(site.system.authenticate(site.type, 'dora', `${password}-wrong`));
    await site.delete(id);
    await fail(site.patch(id, [{ operation: 'replace', field: '/password', value: password }]));
    const { configurationProperties } = fixture.config;
    const own =
      inspect(configurationProperties).match(/(?:password|credentials): '([^']+)'/)?.[1] ?? password;
    expect(failures.length).toBeGreaterThan(2);
    for (const words of [failures, site.told, site.system]) {
      const shown = `${inspect(words, { depth: 20, showHidden: true })}${JSON.stringify(words === site.system ? '' : words)}`;
      expect(shown).not.toContain(password);
      if (words !== site.system) expect(shown).not.toContain(own);
    }
  });

  it('comes through it when a connection is cut, wherever that is', async ({ skip }) => {
    const fixture = fixtureOf();
    const { proxy } = fixture;
    if (proxy === undefined) return skip('no network lies before it');
    const drafts = Array.from({ length: 50 }, (_, at) =>
      fixture.draft({ login: `user${at}`, title: 'before' }),
    );
    await fixture.seed(drafts);
    const [found] = await siteOf().list('login eq "user7"');
    const id = String(found?.['_id']);
    const lengths = [0, 1, 5, 13, 40, 90, 150, 250, 400, 600, 900, 1_300, 1_900, 3_000, 5_000, 9_000];
    for (const answerBytes of lengths) {
      await using site = new ConnectorSite(fixture, patientBut());
      proxy.setWeather({ answerBytes });
      const outcomes = [
        await errorId(site.list()),
        await errorId(
          site.patch(id, [{ operation: 'replace', field: '/title', value: `after ${answerBytes}` }]),
        ),
        await errorId(site.read(id)),
      ];
      for (const outcome of outcomes) expect(OF_NETWORKS, String(answerBytes)).toContain(outcome);
      proxy.setWeather();
      const title = (await siteOf().read(id))?.['title'];
      if (outcomes[1] === 'none') expect(title).toBe(`after ${answerBytes}`);
      expect(await site.list()).toHaveLength(50);
    }
  });

  it('takes nonsense for what it is, and waits for who is slow', async ({ skip }) => {
    const fixture = fixtureOf();
    const { proxy } = fixture;
    if (proxy === undefined) return skip('no network lies before it');
    const id = await siteOf().create(fixture.draft({ login: 'dora', title: 'Engineer' }));
    const nonsense: ((data: Buffer) => Buffer)[] = [
      (data) => Buffer.alloc(data.length, 0),
      (data) => Buffer.alloc(data.length, 0xff),
      (data) => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(1 + data.length / 28)),
      (data) => Buffer.from(data.map((byte, at) => (at % 7 === 3 ? byte ^ 0x55 : byte))),
    ];
    for (const garbles of nonsense) {
      await using site = new ConnectorSite(fixture, patientBut('TEST', 'GET', 'SEARCH'));
      proxy.setWeather({ garbles });
      for (const work of [() => site.system.test(), () => site.read(id), () => site.list()]) {
        const outcome = await errorId(work());
        expect(outcome).toMatch(/^SYSTEM_(?!NOT_FOUND)/);
      }
      proxy.setWeather();
    }
    await using site = new ConnectorSite(fixture, patientBut());
    proxy.setWeather({ delayMs: 30 });
    expect((await site.read(id))?.['title']).toBe('Engineer');
    expect(await site.list()).toHaveLength(1);
    proxy.setWeather();
  });

  it('leaves no connection behind', async ({ skip }) => {
    const fixture = fixtureOf();
    const { proxy } = fixture;
    if (proxy === undefined) return skip('no network lies before it');
    await using scope = new AsyncDisposableStack();
    const sites = Array.from({ length: 5 }, () => scope.use(new ConnectorSite(fixture, patientBut('GET'))));
    const before = proxy.connections;
    await Promise.all(sites.map((site) => site.list()));
    proxy.setWeather({ hole: 'both' });
    await Promise.all(sites.map((site) => errorId(site.read('somebody'))));
    proxy.setWeather();
    await scope.disposeAsync();
    await eventually(
      async () => proxy.connections,
      (open) => open <= before,
    );
  });
}
