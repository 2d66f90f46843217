import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { compileFilter, type QueryFilter } from '#resource/index.ts';
import { objectTypesTemplate } from '#system/system-template.ts';
import { type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';
import { describeChanges } from './connector-changes.ts';
import { describeEndurance, patientBut } from './connector-endurance.ts';
import { describeRefusals } from './connector-refusals.ts';

/** Characters that mean something to somebody on the way. */
const AWKWARD = [
  'plain',
  'Åsa Öberg-Ñuñez 漢字 🎉',
  'a,b;c"d\'e',
  'star * and (brackets) | & !',
  'back\\slash \\2a \\5c',
  'percent %27 and under_score',
  '#begins, ends#',
  "'; drop table account; --",
  'line one\nline two',
  'x'.repeat(100_000),
];

/** What every connector does, whatever it speaks. */
export function describeConnector(name: string, start: () => Promise<ConnectorFixture>): void {
  describe(`the connector ${name}`, () => {
    let fixture: ConnectorFixture;
    let site: ConnectorSite;

    beforeAll(async () => {
      fixture = await start();
      site = new ConnectorSite(fixture);
    });
    afterAll(async () => {
      await site?.[Symbol.asyncDispose]();
      await fixture?.[Symbol.asyncDispose]();
    });
    afterEach(() => {
      fixture.weather?.('calm');
      return fixture.empty();
    });

    const create = (object: JsonObject) => site.create(fixture.draft(object));
    const seen = (object: JsonObject | undefined) => {
      const { login, title, age, mails }: JsonObject = object ?? {};
      const all = { login, title, age, mails: Array.isArray(mails) ? [...mails].sort() : mails };
      return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    };

    it('is reached, and describes itself so that a system can begin with it', async () => {
      await expect(site.system.test()).resolves.toBeUndefined();
      const objectTypes = objectTypesTemplate(await site.system.schema());
      const id = await create({ login: 'dora', title: 'Engineer' });
      await using described = new ConnectorSite(fixture, { objectTypes });
      const object = await described.read(id);
      expect(Object.values(object ?? {}).flat()).toContain('Engineer');
    });

    it('gives back what it was given', async () => {
      const mails =
        fixture.lacks?.severalValues === true ? ['a@example.com'] : ['a@example.com', 'b@example.com'];
      const object = { login: 'dora', title: 'Engineer', age: 42, mails };
      const id = await create(object);
      expect(seen(await site.read(id))).toEqual(object);
      expect(await site.list('login eq "dora"')).toHaveLength(1);
    });

    it('knows nothing of what is not there', async () => {
      expect(await site.read('nobody')).toBeUndefined();
      expect(await site.read("no'body,=\\*")).toBeUndefined();
      expect(await site.list('login eq "nobody"')).toEqual([]);
    });

    it('keeps characters that mean something to others', async () => {
      for (const [at, title] of AWKWARD.entries()) {
        const id = await create({ login: `user${at}`, title });
        expect(seen(await site.read(id)), title.slice(0, 50)).toEqual({ login: `user${at}`, title });
      }
      for (const [at, title] of AWKWARD.entries()) {
        const found = await site.list({ kind: 'compare', pointer: ['title'], operator: 'eq', value: title });
        expect(
          found.map((one) => one['login']),
          title.slice(0, 50),
        ).toEqual([`user${at}`]);
      }
    });

    it('makes nobody twice', async () => {
      await create({ login: 'dora' });
      expect(await site.createIsBlind(fixture.draft({ login: 'dora' }))).toBe(false);
      expect(await errorId(create({ login: 'dora' }))).toBe('SYSTEM_ALREADY_EXISTS');
      expect(await site.list()).toHaveLength(1);
    });

    it('changes what it is told to, and nothing else', async () => {
      const id = await create({ login: 'dora', title: 'Engineer', age: 42 });
      await site.patch(id, [{ operation: 'replace', field: '/title', value: 'Director' }]);
      expect(seen(await site.read(id))).toEqual({ login: 'dora', title: 'Director', age: 42 });
      await site.patch(id, [{ operation: 'remove', field: '/title' }]);
      expect(seen(await site.read(id))).toEqual({ login: 'dora', age: 42 });
      await site.patch(id, [{ operation: 'add', field: '/title', value: 'Boss' }]);
      expect(seen(await site.read(id))).toEqual({ login: 'dora', title: 'Boss', age: 42 });
    });

    it('adds and removes single values, however often it is told', async ({ skip }) => {
      if (fixture.lacks?.severalValues === true) skip('it has no properties with several values');
      const id = await create({ login: 'dora', mails: ['a@x.org'] });
      for (let time = 0; time < 2; time++) {
        await site.patch(id, [{ operation: 'add', field: '/mails/-', value: 'b@x.org' }]);
        expect(seen(await site.read(id))['mails']).toEqual(['a@x.org', 'b@x.org']);
      }
      for (let time = 0; time < 2; time++) {
        await site.patch(id, [{ operation: 'remove', field: '/mails', value: 'a@x.org' }]);
        expect(seen(await site.read(id))['mails']).toEqual(['b@x.org']);
      }
      await site.patch(id, [
        { operation: 'add', field: '/mails/-', value: 'c@x.org' },
        { operation: 'remove', field: '/mails', value: 'b@x.org' },
      ]);
      expect(seen(await site.read(id))['mails']).toEqual(['c@x.org']);
    });

    it('refuses to change what is gone, and to delete it is no mistake', async () => {
      const id = await create({ login: 'dora' });
      await site.delete(id);
      await expect(site.delete(id)).resolves.toBeUndefined();
      expect(await site.read(id)).toBeUndefined();
      const change = site.patch(id, [{ operation: 'replace', field: '/title', value: 'x' }]);
      expect(await errorId(change)).toBe('SYSTEM_NOT_FOUND');
    });

    it('takes a new name, and says by which id it goes then', async () => {
      const id = await create({ login: 'dora', title: 'Engineer' });
      const { login: _, title: __, ...rest } = fixture.draft({ login: 'zora' });
      const renaming = Object.entries({ ...rest, login: 'zora' }).filter(([field]) =>
        ['login', 'dn'].includes(field),
      );
      const isNamedByDn = 'dn' in rest;
      const operations = renaming
        .filter(([field]) => !isNamedByDn || field === 'dn')
        .map(([field, value]) => ({ operation: 'replace', field: `/${field}`, value }));
      const now = await site.patch(id, operations);
      expect(seen(await site.read(now))).toEqual({ login: 'zora', title: 'Engineer' });
      expect(await site.list()).toHaveLength(1);
    });

    it('finds just what memory finds, whatever is asked', async () => {
      const objects = fc.sample(arbitraryObject, 60).map((object, at) => ({ ...object, login: `user${at}` }));
      await fixture.seed(objects.map(fixture.draft));
      const all = await site.list();
      expect(all).toHaveLength(objects.length);
      for (const filter of fc.sample(arbitraryFilter, fixture.manyFilters ?? 80)) {
        const expected = all.filter(compileFilter(filter)).map((one) => one['login']);
        const found = (await site.list(filter)).map((one) => one['login']);
        expect(found.sort(), JSON.stringify(filter)).toEqual(expected.sort());
      }
    });

    it('lists each of many once, in pages and sorted', async () => {
      const logins = Array.from({ length: fixture.many }, (_, at) => `user${at}`).sort();
      await fixture.seed(logins.map((login, at) => fixture.draft({ login, age: at })));
      expect((await site.list()).map((one) => one['login']).sort()).toEqual(logins);
      const paged: unknown[] = [];
      let cookie: string | null | undefined;
      const pageSize = Math.ceil(fixture.many / 4) - 1;
      for (let pages = 0; cookie !== null && pages < 10; pages++) {
        const paging = { pageSize, offset: 0, totalPolicy: 'NONE' as const, ...(cookie ? { cookie } : {}) };
        const page = await site.query({ paging, fields: [['login']] });
        expect(page.result.length).toBeLessThanOrEqual(pageSize);
        paged.push(...page.result.map(({ content }) => (content as JsonObject)['login']));
        cookie = page.pagedResultsCookie;
      }
      expect(paged.sort()).toEqual(logins);
      const last = { pageSize: 1, offset: 0, totalPolicy: 'NONE' as const };
      const sorted = await site.query({ paging: last, sortKeys: [{ pointer: ['age'], descending: true }] });
      expect(sorted.result.map(({ content }) => (content as JsonObject)['age'])).toEqual([fixture.many - 1]);
    });

    it('is free again when listings are left half-way', async () => {
      await fixture.seed(['a', 'b', 'c'].map((login) => fixture.draft({ login })));
      for (let time = 0; time < 30; time++) {
        const listing = site.system.search(site.type, {
          filter: undefined,
          comparison: 'exact',
          attributes: undefined,
          pageSize: 1,
        });
        for await (const _ of listing) break;
      }
      expect(await site.list()).toHaveLength(3);
    });

    it('lets many write at once', async () => {
      const logins = Array.from({ length: 16 }, (_, at) => `user${at}`);
      const ids = await Promise.all(logins.map((login) => create({ login })));
      const replace = (id: string, at: number) =>
        site.patch(id, [{ operation: 'replace', field: '/title', value: `title ${at}` }]);
      await Promise.all(ids.map(replace));
      const titles = (await site.list()).map(({ login, title }) => `${login} ${title}`);
      expect(titles.sort()).toEqual(logins.map((login, at) => `${login} title ${at}`).sort());
    });

    it('says whose a password is, and shows it to nobody', async ({ skip }) => {
      if (fixture.lacks?.passwords === true) skip('it keeps no passwords');
      const id = await create({ login: 'dora', password: 'Open-Sesame-1' });
      expect(await site.system.authenticate(site.type, 'dora', 'Open-Sesame-1')).toBe(id);
      const wrong = site.system.authenticate(site.type, 'dora', 'open-sesame-1');
      expect(await errorId(wrong)).toBe('SYSTEM_INVALID_CREDENTIALS');
      const stranger = site.system.authenticate(site.type, 'nobody', 'Open-Sesame-1');
      expect(await errorId(stranger)).toBe('SYSTEM_INVALID_CREDENTIALS');
      expect(JSON.stringify(await site.read(id))).not.toContain('Sesame');
      await site.patch(id, [{ operation: 'replace', field: '/password', value: 'Other-Words-2' }]);
      expect(await site.system.authenticate(site.type, 'dora', 'Other-Words-2')).toBe(id);
    });

    it('tells that nobody is there, and works when somebody is again', async ({ skip }) => {
      const { weather } = fixture;
      if (weather === undefined) return skip('no network lies before it');
      await using other = new ConnectorSite(fixture, patientBut());
      weather('refused');
      expect(await errorId(other.list())).toBe('SYSTEM_UNAVAILABLE');
      expect(await errorId(other.system.test())).toBe('SYSTEM_UNAVAILABLE');
      weather('calm');
      await expect(other.system.test()).resolves.toBeUndefined();
    });

    it('waits for nobody longer than it may', async ({ skip }) => {
      const { weather } = fixture;
      if (weather === undefined) return skip('no network lies before it');
      await using other = new ConnectorSite(fixture, patientBut('GET', 'SEARCH'));
      await other.system.test();
      const id = await create({ login: 'dora' });
      weather('silent');
      // Without limits of its own each would take half a minute.
      const startedAt = performance.now();
      expect(await errorId(other.read(id))).toBe('SYSTEM_TIMEOUT');
      expect(await errorId(other.list())).toBe('SYSTEM_TIMEOUT');
      expect(performance.now() - startedAt).toBeLessThan(25_000);
      weather('calm');
      await expect(other.system.test()).resolves.toBeUndefined();
    });

    describeChanges(
      () => fixture,
      () => site,
    );

    describeRefusals(
      () => fixture,
      () => site,
    );

    describeEndurance(
      () => fixture,
      () => site,
    );
  });
}

const word = fc.constantFrom('a', 'ab', 'b', 'Ab', 'abc', 'ü', 'b c');
const arbitraryObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    title: word,
    age: fc.integer({ min: -3, max: 12 }),
    mails: fc.array(word, { minLength: 1, maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const field = fc.constantFrom('title', 'age', 'mails', 'login');
const value = fc.oneof(word, fc.integer({ min: -3, max: 12 }), fc.constantFrom('user1', 'user2', true));
const leaf: fc.Arbitrary<QueryFilter> = fc.oneof(
  fc.record({ kind: fc.constant('present' as const), pointer: field.map((one) => [one]) }),
  fc.record({
    kind: fc.constant('compare' as const),
    pointer: field.map((one) => [one]),
    operator: fc.constantFrom('eq', 'co', 'sw', 'ew', 'lt', 'le', 'gt', 'ge'),
    value,
  }),
  fc.record({
    kind: fc.constant('in' as const),
    pointer: field.map((one) => [one]),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
);
const { filter: arbitraryFilter } = fc.letrec<{ filter: QueryFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }),
  ),
}));
