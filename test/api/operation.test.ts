import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { pruneOperations } from '../../src/taskscanner/operation/operation-repository.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { callerAs, callersOf, OWN_PAGE, PASSWORD, passwordOf } from '../support/credentials.ts';
import { listenTo } from '../support/event-listener.ts';
import { eventually } from '../support/eventually.ts';
import { operationSite, patch } from '../support/operation-site.ts';
import '../support/takes-long.ts';

const site = operationSite();
const { api, ada, ben, cleo, items, make, ended, perform, marks } = site;
const count = async (filter: string) =>
  (await api('GET', `managed/item?_queryFilter=${encodeURIComponent(filter)}&_pageSize=1000`)).body
    .resultCount;

describe('an operation', () => {
  it('does again what failed in another, once, for its maker', async () => {
    await items(9, (n) => (n < 3 ? { broken: true } : {}));
    const first = await perform(patch(), ada);
    // The desk may not change i2.
    expect(first.progress).toMatchObject({ successes: 6, failures: 3 });
    await api('PATCH', 'managed/item/i0', {
      body: [{ operation: 'replace', field: '/broken', value: false }],
    });
    const retry = (as: typeof ada, id: string) => as('POST', `operation/${id}?_action=retry`);
    expect((await retry(cleo, first._id)).status).toBe(404);
    expect((await retry(api as typeof ada, first._id)).status).toBe(403);
    expect((await retry(ben, first._id)).status).toBe(403);
    const rehearsed = await ada('POST', `operation/${first._id}?_action=retry&_dryRun=true`);
    expect([rehearsed.status, rehearsed.body.result.objects]).toEqual([200, 3]);
    const { status, body } = await retry(ada, first._id);
    expect([status, body]).toEqual([200, { _id: expect.any(String), retryOf: first._id, objects: 3 }]);
    const second = await ended(body._id, ada);
    expect(second).toMatchObject({ act: 'patch', progress: { total: 3, failures: 2, successes: 1 } });
    expect(second.sample).toEqual(expect.arrayContaining(['i0', 'i1', 'i2']));
    const again = await retry(ada, first._id);
    expect([again.status, again.body.detail.id]).toEqual([409, 'OPERATION_RETRIED']);
    const well = await perform(patch({ queryFilter: 'n gt 5' }), ada);
    expect((await retry(ada, well._id)).body.detail.id).toBe('OPERATION_NOTHING_FAILED');
    const prepared = await make(patch({ dryRun: true }), ada);
    expect((await retry(ada, prepared.body._id)).body.detail.id).toBe('OPERATION_UNDER_WAY');
  });

  it('is heard of by its maker and by administrators, and by nobody else', async () => {
    await items(2);
    const { url } = site.server;
    await using boss = await listenTo(url, 'operation');
    await using maker = await listenTo(url, 'operation', passwordOf('ada'));
    await using other = await listenTo(url, 'operation', passwordOf('cleo'));
    expect((await listenTo(url, 'operation', passwordOf('ben'))).status).toBe(403);
    const own = await perform(patch(), ada);
    for (const listener of [boss, maker]) {
      for (const operation of ['create', 'update']) {
        const { data } = await listener.next((heard) => heard.data.operation === operation);
        expect(data).toMatchObject({ topic: 'operation', resource: `operation/${own._id}` });
      }
    }
    const another = await perform(patch(), cleo);
    await other.next(({ data }) => data.resource === `operation/${another._id}`);
    expect(JSON.stringify(other.heard)).not.toContain(own._id);
  });

  it('changes all that its query finds, once, with hooks, and groups what fails', async () => {
    await items(60, (n) => (n % 20 === 3 ? { broken: true } : {}));
    const run = await perform(patch({ queryFilter: 'n ge 1' }));
    expect(run).toMatchObject({
      act: 'patch',
      resource: 'managed/item',
      state: 'COMPLETED',
      progress: { total: 59, processed: 59, successes: 56, failures: 3, skipped: 0, percent: 100 },
      more: false,
      owner: 'repo/internal/user/svc-admin',
      errors: [
        {
          code: 422,
          id: 'BROKEN',
          count: 3,
          message: expect.stringMatching(/broken i/),
          objects: expect.arrayContaining(['managed/item/i3', 'managed/item/i23', 'managed/item/i43']),
        },
      ],
    });
    expect(run.sample).toHaveLength(20);
    expect(await count('done eq true')).toBe(56);
    const marked = await marks();
    expect([marked.length, new Set(marked).size]).toEqual([56, 56]);
    const failures = await api('GET', `operation/${run._id}/failure?_queryFilter=true&_pageSize=2`);
    expect(failures.body.result).toHaveLength(2);
    expect(failures.body.pagedResultsCookie).toEqual(expect.any(String));
    expect((await api('GET', `taskscanner/${run._id}`)).status).toBe(404);
    const told = await site.server.observed('operation.ended', ({ operation }) => operation === run._id);
    expect(told).toMatchObject({ act: 'patch', total: 59, successes: 56, failures: 3 });
  });

  it('is audited under one transaction, with whoever made it', async () => {
    await items(12);
    const { transactionId } = await perform(patch(), ada);
    const { rows } = await sql<{ user: string; count: number }>`
      select "user", count(*)::int as count from svc_audit
      where transaction_id ^@ ${transactionId} and topic = 'activity' and object like 'managed/item/%'
      group by 1`.execute(site.server.database.db);
    expect(rows).toEqual([{ user: 'ada', count: 11 }]);
  });

  it('asks for each object with the rights of whoever made it', async () => {
    await items(5);
    const run = await perform(patch(), ada);
    expect(run.progress).toMatchObject({ total: 5, successes: 4, failures: 1 });
    expect(run.errors).toMatchObject([{ code: 403, id: 'ACCESS_DENIED', objects: ['managed/item/i2'] }]);
    expect(await count('done eq true')).toBe(4);
    // However the path is written, the same rules are met.
    const shouted = await perform(
      patch({ resource: 'MANAGED/item', content: [{ operation: 'remove', field: '/done' }] }),
      ada,
    );
    expect([shouted.resource, shouted.progress]).toEqual([
      'managed/item',
      expect.objectContaining({ total: 5, successes: 4, failures: 1 }),
    ]);
    // What they may not query they cannot freeze.
    expect((await make(patch({ resource: 'managed/mark' }), ada)).status).toBe(403);
    for (const caller of [ben, (method: string, path: string) => api(method, path, { user: null })]) {
      const { status } = await caller('POST', 'operation', { body: patch() });
      expect([401, 403]).toContain(status);
      expect([401, 403]).toContain((await caller('GET', `operation/${run._id}`)).status);
    }
  });

  it('is shown to whoever made it, and to administrators', async () => {
    await items(1);
    const run = await perform(patch(), ada);
    expect((await cleo('GET', `operation/${run._id}`)).status).toBe(404);
    expect((await cleo('GET', `operation/${run._id}/failure?_queryFilter=true`)).status).toBe(404);
    expect((await cleo('POST', `operation/${run._id}?_action=cancel`)).status).toBe(404);
    expect((await cleo('GET', 'operation?_queryFilter=true')).body.result).toEqual([]);
    for (const caller of [ada, api]) {
      const listed = (await caller('GET', 'operation?_queryFilter=act+eq+"patch"')).body.result;
      expect(listed.map(({ _id }: { _id: string }) => _id)).toEqual([run._id]);
    }
  });

  it('is not shown to somebody who comes later under the same id', async () => {
    const { createUser } = callersOf(() => api);
    const admit = () =>
      api('PATCH', 'managed/user/dan', {
        body: [{ operation: 'add', field: '/authzRoles/-', value: { _ref: 'repo/internal/role/desk' } }],
      });
    const dan = callerAs(() => api, 'dan');
    await createUser('dan');
    await admit();
    await items(1);
    const { _id } = await perform(patch(), dan);
    expect((await dan('GET', `operation/${_id}`)).status).toBe(200);
    await api('DELETE', 'managed/user/dan');
    await createUser('dan');
    await admit();
    expect((await dan('GET', `operation/${_id}`)).status).toBe(404);
    const owner = 'managed/user/dan (deleted)';
    expect((await api('GET', `operation/${_id}`)).body.owner).toBe(owner);
    // Nor is it of whoever is called so.
    await api('PUT', `${encodeURI(owner)}`, {
      body: { userName: 'dana', givenName: 'Per', sn: 'Son', mail: 'dana@example.com', password: PASSWORD },
    });
    const role = { _ref: 'repo/internal/role/desk' };
    await api('PATCH', encodeURI(owner), {
      body: [{ operation: 'add', field: '/authzRoles/-', value: role }],
    });
    const dana = callerAs(() => api, 'dana');
    expect((await dana('GET', 'operation?_queryFilter=true')).body.result).toEqual([]);
    expect((await dana('GET', `operation/${_id}`)).status).toBe(404);
  });

  it('ends when its maker may not come in any more', async () => {
    await items(400, () => ({ slow: true }));
    const { body } = await make(patch(), cleo);
    await api('PATCH', 'managed/user/cleo', {
      body: [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }],
    });
    const run = await ended(body._id);
    await api('PATCH', 'managed/user/cleo', {
      body: [{ operation: 'replace', field: '/accountStatus', value: 'active' }],
    });
    expect(run).toMatchObject({
      state: 'ERROR',
      error: { code: 403, detail: { id: 'OPERATION_CALLER_GONE' } },
    });
    const done = await count('done eq true');
    expect(done).toBeLessThan(400);
    expect(run.progress.failures).toBe(0);
  });

  it('is made with a session or a key, too, and ends with the key', async () => {
    const { asNobody, begin } = callersOf(() => api);
    await items(400, (n) => ({ slow: n > 2 }));
    const session = { ...OWN_PAGE, ...(await begin(passwordOf('ada'))) };
    const made = await asNobody('POST', 'operation', {
      body: patch({ queryFilter: 'n le 1' }),
      headers: session,
    });
    expect(made.status).toBe(201);
    expect(await ended(made.body._id)).toMatchObject({ state: 'COMPLETED', progress: { successes: 2 } });

    const { body } = await api('PUT', 'apikey/desk', { body: { roles: ['desk'] } });
    const headers = { 'X-Svc-Api-Key': body.key };
    const begun = await asNobody('POST', 'operation', { body: patch({ queryFilter: 'n gt 2' }), headers });
    expect([begun.status, begun.body.owner]).toEqual([201, 'apikey/desk']);
    await eventually(
      () => count('done eq true'),
      (done) => done > 2,
    );
    await api('DELETE', 'apikey/desk');
    expect(await ended(begun.body._id)).toMatchObject({
      state: 'ERROR',
      error: { detail: { id: 'OPERATION_CALLER_GONE' } },
    });
    expect(await count('done eq true')).toBeLessThan(399);
  });

  it('does no more by the cookie of a session alone than its maker could', async () => {
    const { asNobody, begin } = callersOf(() => api);
    await api('PUT', 'apikey/kept', { body: { roles: ['desk'] } });
    const session = { ...OWN_PAGE, ...(await begin(passwordOf('svc-admin', ADMIN_PASSWORD))) };
    const bySession = async (body: object) => {
      const made = await asNobody('POST', 'operation', { body, headers: session });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      return ended(made.body._id);
    };
    const refused = {
      progress: { successes: 0 },
      errors: [{ code: 403, id: 'ACCESS_NEEDS_REAUTHENTICATION' }],
    };
    await begin(passwordOf('ada'));
    for (const resource of ['apikey', 'session']) {
      expect(await bySession({ act: 'delete', resource, queryFilter: 'true' })).toMatchObject(refused);
    }
    const content = [{ _id: 'way-in', roles: ['svc-admin'] }];
    expect(await bySession({ act: 'import', resource: 'apikey', content })).toMatchObject(refused);
    expect((await api('GET', 'apikey/kept')).status).toBe(200);
    const run = await perform({ act: 'delete', resource: 'apikey', queryFilter: '_id eq "kept"' });
    expect(run.progress.successes).toBe(1);
  });

  it('is cancelled, and what it has done stays done', async () => {
    await items(400, () => ({ slow: true }));
    const { body } = await make(patch(), ada);
    expect((await ada('POST', `operation/${body._id}?_action=cancel`)).body.status).toBe('SUCCESS');
    const run = await ended(body._id);
    expect(run.state).toBe('CANCELLED');
    expect((await ada('POST', `operation/${body._id}?_action=cancel`)).body.status).toBe('SUCCESS');
    expect(await count('done eq true')).toBeLessThan(400);
  });
});

describe('what came of an operation', () => {
  it('is kept for thirty days, and what nobody starts for one', async () => {
    await items(1);
    const { db } = site.server.database;
    const old = await perform(patch());
    const kept = await perform(patch());
    const waiting = (await make(patch({ dryRun: true }))).body;
    const forgotten = (await make(patch({ dryRun: true }))).body;
    await sql`update scan_run set ended_at = now() - interval '31 days' where id = ${old._id}`.execute(db);
    await sql`update scan_run set created_at = now() - interval '25 hours' where id = ${forgotten._id}`.execute(
      db,
    );
    await pruneOperations(db, 30);
    const left = (await api('GET', 'operation?_queryFilter=true')).body.result;
    expect(left.map(({ _id }: { _id: string }) => _id).sort()).toEqual([kept._id, waiting._id].sort());
  });
});

describe('a rehearsed operation', () => {
  it('changes nothing, tells what would come of the first objects, and is started with the objects it has frozen', async () => {
    await items(30, (n) => (n === 1 ? { broken: true } : {}));
    const { status, body } = await make(patch({ dryRun: true, queryFilter: '!(done pr)', sortKeys: 'n' }));
    expect([status, body.state, body.progress.total]).toEqual([201, 'PREPARED', 30]);
    expect(body.rehearsal).toMatchObject({ tried: 20, successes: 19, failures: 1, skipped: 0 });
    expect(body.rehearsal.objects.slice(0, 2)).toMatchObject([
      {
        object: 'managed/item/i0',
        outcome: 'successes',
        changes: expect.arrayContaining([
          expect.objectContaining({
            resource: 'managed/item/i0',
            after: expect.objectContaining({ done: true }),
          }),
        ]),
      },
      { object: 'managed/item/i1', outcome: 'failures', error: { code: 422, id: 'BROKEN' } },
    ]);
    expect([await count('done eq true'), await marks()]).toEqual([0, []]);

    // What is there only now is none of it, and what is gone meanwhile is skipped.
    await api('PUT', 'managed/item/late', { body: { n: 99 } });
    await api('DELETE', 'managed/item/i7');
    expect((await api('POST', `operation/${body._id}?_action=start`)).status).toBe(200);
    const run = await ended(body._id);
    expect(run.progress).toMatchObject({ total: 30, successes: 28, failures: 1, skipped: 1 });
    expect(await count('_id eq "late" and done pr')).toBe(0);
    const again = await api('POST', `operation/${body._id}?_action=start`);
    expect([again.status, again.body.detail.id]).toEqual([409, 'OPERATION_NOT_PREPARED']);
  });

  it('is started by nobody but its maker', async () => {
    await items(1);
    const { body } = await make(patch({ dryRun: true }), ada);
    expect((await api('POST', `operation/${body._id}?_action=start`)).status).toBe(403);
    expect((await ada('POST', `operation/${body._id}?_action=start`)).status).toBe(200);
    expect((await ended(body._id)).state).toBe('COMPLETED');
  });

  it('leaves nothing when the whole request is rehearsed', async () => {
    await items(2);
    const { body } = await api('POST', 'operation?_dryRun=true', { body: patch() });
    expect(body.result).toMatchObject({ rehearsal: { tried: 2, successes: 2 } });
    expect((await api('GET', 'operation?_queryFilter=true')).body.result).toEqual([]);
    expect(await count('done eq true')).toBe(0);
  });
});

describe('the other acts', () => {
  it('delete, and run an action', async () => {
    await items(6);
    const checked = {
      act: 'action',
      action: 'triggerSyncCheck',
      resource: 'managed/item',
      queryFilter: 'n lt 3',
    };
    expect((await perform(checked)).progress).toMatchObject({ total: 3, successes: 3 });
    const gone = await perform({ act: 'delete', resource: 'managed/item', queryFilter: 'n lt 4' });
    expect(gone.progress).toMatchObject({ total: 4, successes: 4 });
    expect(await count('true')).toBe(2);
  });

  it('has dead letters of processes tried again by a query', async () => {
    const starts = [1, 2, 3].map(() => api('POST', 'workflow/processinstance', { body: { _key: 'risky' } }));
    expect((await Promise.all(starts)).map(({ body }) => body.message)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const letters = 'workflow/job/deadletter?_queryId=query-all-ids';
    await eventually(
      async () => (await api('GET', letters)).body.resultCount,
      (number) => number === 3,
    );
    await api('PUT', 'managed/item/mended', { body: {} });
    const run = await perform({
      act: 'action',
      action: 'retry',
      resource: 'workflow/job/deadletter',
      queryId: 'query-all-ids',
    });
    expect(run.progress).toMatchObject({ total: 3, successes: 3 });
    await eventually(
      async () => (await api('GET', 'workflow/processinstance?_queryId=query-all-ids')).body.resultCount,
      (number) => number === 0,
    );
  });
});

describe('an operation that cannot be', () => {
  const invalid: readonly (readonly [object, number, string, RegExp])[] = [
    [{ act: 'patsh' }, 400, 'OPERATION_INVALID', /'act' is "patsh"/],
    [{ acts: 'patch' }, 400, 'OPERATION_INVALID', /no 'acts'/],
    [{ resource: '' }, 400, 'OPERATION_INVALID', /'resource' is ""/],
    [{ resource: 'operation' }, 400, 'OPERATION_INVALID', /about 'operation'/],
    [{ resource: 'OPERATION' }, 400, 'OPERATION_INVALID', /about 'OPERATION'/],
    [{ parameters: { _n: 1 } }, 400, 'OPERATION_INVALID', /'_n' is kept/],
    [{ limit: 100_001 }, 400, 'OPERATION_INVALID', /'limit' is 100001/],
    [{ dryRun: 'yes' }, 400, 'OPERATION_INVALID', /'dryRun' is "yes"/],
    [{ queryFilter: undefined }, 400, 'QUERY_WHICH', /nothing to look for/],
    [{ content: {} }, 400, 'PATCH_NOT_AN_ARRAY', /array/],
    [{ act: 'action' }, 400, 'OPERATION_INVALID', /name of the action/],
    [{ act: 'import', content: [], queryFilter: undefined }, 400, 'OPERATION_INVALID', /needs objects/],
    [
      { act: 'import', content: [{}, 7], queryFilter: undefined },
      400,
      'OPERATION_BAD_LINE',
      /Line 2 is no object/,
    ],
    [
      { act: 'import', content: '{}\n{', queryFilter: undefined },
      400,
      'OPERATION_BAD_LINE',
      /Line 2 is no JSON/,
    ],
    [
      { act: 'import', content: '{"n":1e400}', queryFilter: undefined },
      400,
      'OPERATION_BAD_LINE',
      /Line 1 has a number/,
    ],
    [
      { act: 'import', content: [{ _id: 'a' }, { _id: 'a' }], queryFilter: undefined },
      400,
      'OPERATION_BAD_LINE',
      /Lines 1 and 2/,
    ],
    [{ act: 'export', format: 'csv', content: undefined }, 400, 'OPERATION_INVALID', /needs the fields/],
  ];

  it.each(invalid)('%j is refused', async (more, status, id, message) => {
    const answer = await make(patch(more));
    expect([answer.status, answer.body.detail?.id]).toEqual([status, id]);
    expect(answer.body.message).toMatch(message);
  });

  it('is refused where its maker has too many open', async () => {
    await items(1);
    for (let n = 0; n < 10; n++) expect((await make(patch({ dryRun: true }), ada)).status).toBe(201);
    const refused = await make(patch(), ada);
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'OPERATION_TOO_MANY_OPEN']);
    expect((await make(patch())).status).toBe(201);
  });

  it('takes the first of many, and says that there are more', async () => {
    await items(10);
    const run = await perform(patch({ limit: 4, sortKeys: '-n' }));
    expect([run.progress.total, run.more, run.sample]).toEqual([4, true, ['i9', 'i8', 'i7', 'i6']]);
  });
});
