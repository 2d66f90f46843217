import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { type ChangeBatch, LATEST, type Token } from '#system/contract.ts';
import { objectOf } from '#system/property-value.ts';
import { type ConnectorFixture, ConnectorSite, errorId } from '../../support/connector/fixture.ts';

/** What every connector that tells changes tells of them. */
export function describeChanges(fixtureOf: () => ConnectorFixture, siteOf: () => ConnectorSite): void {
  const draft = (object: JsonObject) => fixtureOf().draft(object);
  const tells = () => siteOf().system.capabilities.changes;
  const NOTHING_TOLD = 'it does not tell what has changed';

  it('says what it tells of changes, and tells that', async () => {
    const asked = errorId(latest(siteOf()));
    const isTelling = tells() === 'full' || tells() === 'upserts';
    expect(await asked).toBe(isTelling ? 'none' : 'SYSTEM_NOT_SUPPORTED');
  });

  it('tells since now what changes later, and nothing of before', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    const site = siteOf();
    const before = await site.create(draft({ login: 'before' }));
    const since = await latest(site);
    expect(await all(site, since)).toEqual([]);
    const after = await site.create(draft({ login: 'after', title: 'Engineer' }));
    expect(await idsOf(site, since)).toEqual(new Set([after]));
    await site.patch(before, [{ operation: 'replace', field: '/title', value: 'Director' }]);
    expect(await idsOf(site, since)).toEqual(new Set([after, before]));
    const [change] = await all(site, since);
    expect(change?.kind === 'upsert' && (await shown(site, change.entry))).toMatchObject({
      login: 'after',
      title: 'Engineer',
    });
  });

  it('tells every change, so that whoever follows has what is listed', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    const site = siteOf();
    const since = await latest(site);
    const [steps = []] = fc.sample(arbitrarySteps, 1);
    await take(site, steps);
    const copy = new Map<string, JsonObject>();
    for await (const batch of site.changes(since, 7)) {
      expect(batch.changes.length).toBeLessThanOrEqual(7);
      await follow(site, copy, batch);
    }
    await expectSameAsListed(site, copy);
  });

  it('goes on with the token of each batch, and again', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    const site = siteOf();
    const since = await latest(site);
    const [steps = []] = fc.sample(arbitrarySteps, 1);
    await take(site, steps);
    const batches = await collected(site.changes(since, 3));
    const before = new Map<string, JsonObject>();
    for (const batch of batches) {
      await follow(site, before, batch);
      const copy = new Map(before);
      await using other = new ConnectorSite(fixtureOf());
      for await (const later of other.changes(batch.token, 50)) await follow(site, copy, later);
      await expectSameAsListed(site, copy);
    }
    expect(batches.map(({ isLast }) => isLast)).toEqual(batches.map((_, at) => at === batches.length - 1));
    expect(await all(site, batches.at(-1)?.token ?? '')).toEqual([]);
  });

  it('goes on where it was when all connections break between two batches', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    const { proxy } = fixtureOf();
    if (proxy === undefined) return skip('no network lies before it');
    const site = siteOf();
    const since = await latest(site);
    const made: string[] = [];
    for (let at = 0; at < 8; at++) made.push(await site.create(draft({ login: `user${at}` })));
    const told: string[] = [];
    let token = since;
    for (let [isLast, rounds] = [false, 0]; !isLast && rounds < made.length; rounds++) {
      for await (const batch of site.changes(token, 3)) {
        told.push(...batch.changes.map((one) => (one.kind === 'upsert' ? one.entry.id : one.id)));
        ({ token, isLast } = batch);
        proxy.endAll('reset');
        break;
      }
    }
    expect(told.toSorted()).toEqual(made.toSorted());
  });

  it('tells what is deleted', async ({ skip }) => {
    if (tells() !== 'full') return skip('it does not tell what is deleted');
    const site = siteOf();
    const gone = await site.create(draft({ login: 'gone' }));
    const since = await latest(site);
    await site.delete(gone);
    const [change] = await all(site, since);
    expect(change).toMatchObject({ kind: 'delete', id: gone });
    if (change?.kind === 'delete' && change.last !== undefined) {
      expect(await shown(site, change.last)).toMatchObject({ login: 'gone' });
    }
  });

  it('has the clock of the other side', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    for (const shift of [-3_600_000, 3_600_000]) {
      await using site = new ConnectorSite(fixtureOf(), {}, () => Date.now() + shift);
      const since = await latest(site);
      const id = await site.create(draft({ login: `user${shift}` }));
      expect(await idsOf(site, since)).toEqual(new Set([id]));
    }
  });

  it('says when it does not know any more', async ({ skip }) => {
    if (!['full', 'upserts'].includes(tells())) return skip(NOTHING_TOLD);
    const site = siteOf();
    const { forgetChanges } = fixtureOf();
    expect(await errorId(all(site, 'no token of anybody'))).toBe('SYSTEM_TOKEN_EXPIRED');
    if (forgetChanges === undefined) return;
    const since = await latest(site);
    await site.create(draft({ login: 'forgotten' }));
    await forgetChanges();
    expect(await errorId(all(site, since))).toBe('SYSTEM_TOKEN_EXPIRED');
  });
}

/** What is told by a number that objects bear: a column of a table, or what a directory counts. */
export function describeColumn(where: string, start: () => Promise<ConnectorFixture>): void {
  describe(`what has changed by a column, ${where}`, () => {
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
    afterEach(() => fixture.empty());
    describeChanges(
      () => fixture,
      () => site,
    );
  });
}

async function collected(batches: AsyncIterable<ChangeBatch>): Promise<readonly ChangeBatch[]> {
  const all: ChangeBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

async function latest(site: ConnectorSite): Promise<Token> {
  const batches = await collected(site.changes(LATEST));
  expect(batches).toEqual([{ changes: [], token: expect.any(String), isLast: true }]);
  return batches[0]?.token ?? '';
}

async function all(site: ConnectorSite, since: Token): Promise<readonly ChangeBatch['changes'][number][]> {
  const batches = await collected(site.changes(since));
  return batches.flatMap(({ changes }) => changes);
}

async function idsOf(site: ConnectorSite, since: Token): Promise<ReadonlySet<string>> {
  const changes = await all(site, since);
  return new Set(changes.map((change) => (change.kind === 'delete' ? change.id : change.entry.id)));
}

function shown(site: ConnectorSite, entry: Parameters<typeof objectOf>[2]): Promise<JsonObject> {
  return objectOf(site.system.crypto, site.type, entry, () => true);
}

/** Has a copy take part in what happens. */
async function follow(
  site: ConnectorSite,
  copy: Map<string, JsonObject>,
  { changes }: ChangeBatch,
): Promise<void> {
  for (const change of changes) {
    if (change.kind === 'delete') copy.delete(change.id);
    else {
      if (change.previousId !== undefined) copy.delete(change.previousId);
      copy.set(change.entry.id, await shown(site, change.entry));
    }
  }
}

async function expectSameAsListed(site: ConnectorSite, copy: ReadonlyMap<string, JsonObject>): Promise<void> {
  const listed = await site.list();
  const byId = (one: JsonObject, other: JsonObject) => (String(one['_id']) < String(other['_id']) ? -1 : 1);
  const ids = new Set(listed.map(({ _id }) => _id));
  const isFull = site.system.capabilities.changes === 'full';
  // Nobody has told of the others that they are gone.
  const followed = [...copy.values()].filter(({ _id }) => isFull || ids.has(_id ?? null));
  expect(followed.sort(byId)).toEqual(listed.sort(byId));
}

interface Step {
  readonly does: 'create' | 'update' | 'rename' | 'delete';
  readonly whom: number;
  readonly title: string;
}

const arbitrarySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    does: fc.constantFrom('create', 'create', 'update', 'update', 'rename', 'delete'),
    whom: fc.nat(100),
    title: fc.constantFrom('a', 'b', 'c'),
  }),
  { minLength: 20, maxLength: 40 },
);

async function take(site: ConnectorSite, steps: readonly Step[]): Promise<void> {
  const ids: string[] = [await site.create(draftOf(site, 'first'))];
  for (const [at, { does, whom, title }] of steps.entries()) {
    const place = whom % Math.max(1, ids.length);
    const id = ids[place];
    if (does === 'create' || id === undefined) ids.push(await site.create(draftOf(site, `user${at}`)));
    else if (does === 'update')
      await site.patch(id, [{ operation: 'replace', field: '/title', value: title }]);
    else if (does === 'delete') {
      await site.delete(id);
      ids.splice(place, 1);
    } else ids[place] = await rename(site, id, `renamed${at}`);
  }
}

function draftOf(site: ConnectorSite, login: string): JsonObject {
  return site.fixture.draft({ login });
}

/** By its login, or by the name that follows from it. */
async function rename(site: ConnectorSite, id: string, login: string): Promise<string> {
  const { dn } = site.fixture.draft({ login });
  const [field, value] = dn === undefined ? ['/login', login] : ['/dn', dn];
  return site.patch(id, [{ operation: 'replace', field, value }]);
}
