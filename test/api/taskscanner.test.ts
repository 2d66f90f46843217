import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { MARK, scan, scanSite } from '../support/scan-site.ts';
import '../support/takes-long.ts';

describe('the task scanner', () => {
  const site = scanSite();
  const { items, execute, perform, marks, item, ended } = site;
  const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

  it('runs a script in Groovy as well', async () => {
    await items(3);
    const body = scan('');
    const source =
      'svc.create("managed/mark", null, [item: objectID, n: input.n]); input.n < 2 ? true : "yes"';
    const run = await perform({ ...body, task: { script: { type: 'groovy', source } } });
    expect(run.progress).toMatchObject({ state: 'COMPLETED', processed: 3, successes: 2, failures: 1 });
    expect(await marks()).toEqual(['managed/item/i0', 'managed/item/i1', 'managed/item/i2']);
  });

  it('runs the script once for each object that the query finds, and marks it', async () => {
    await items(120, (n) => ({ skip: n >= 100 }));
    const run = await perform(scan(MARK, {}, { _queryFilter: 'skip eq false' }));
    expect(run).toMatchObject({
      progress: { state: 'COMPLETED', processed: 100, total: 100, successes: 100, failures: 0, skipped: 0 },
      started: expect.stringMatching(ISO),
      ended: expect.stringMatching(ISO),
      object: 'managed/item',
      name: null,
      errors: [],
    });
    expect(Object.keys(run.progress).slice(0, 5)).toEqual([
      'state',
      'processed',
      'total',
      'successes',
      'failures',
    ]);
    expect(await marks()).toEqual(Array.from({ length: 100 }, (_, n) => `managed/item/i${n}`).sort());
    const { task } = await item('i7');
    expect(task).toEqual({ started: expect.stringMatching(ISO), completed: expect.stringMatching(ISO) });
    expect((await item('i110')).task).toBeUndefined();
    const again = await perform(scan(MARK));
    expect(again.progress).toMatchObject({ total: 20, successes: 20 });
  });

  it('gives the script the claimed object and its path, and keeps what the script does to it', async () => {
    await items(1, { deep: { list: [1] } });
    await perform(
      scan(`
        svc.patch(objectID, input._rev, [
          { operation: 'add', field: '/seen', value: [objectID, input.n, typeof input.task.started] }]);
        true;`),
    );
    expect(await item('i0')).toMatchObject({
      seen: ['managed/item/i0', 0, 'string'],
      deep: { list: [1] },
      task: { completed: expect.stringMatching(ISO) },
    });
  });

  it('counts anything but true as a failure, keeps what was stored, and goes on', async () => {
    await items(6);
    const run = await perform(scan(`${MARK} [true, "true", 1, null, {}, false][input.n];`));
    expect(run.progress).toMatchObject({ state: 'COMPLETED', processed: 6, successes: 1, failures: 5 });
    expect(await marks()).toHaveLength(6);
    const failed = await item('i1');
    expect(failed.task.started).toMatch(ISO);
    expect(failed.task.completed).toBeUndefined();
    expect(run.errors).toHaveLength(5);
    expect(run.errors[0].error.message).toMatch(/^The script answered .*, not true$/);
  });

  it('rolls back what a failing script has stored, marks only that object as failed, and goes on', async () => {
    await items(40);
    const run = await perform(
      scan(`${MARK} if (input.n % 10 === 3) throw { code: 418, message: 'number ' + input.n }; true;`),
    );
    expect(run.progress).toMatchObject({ state: 'COMPLETED', successes: 36, failures: 4 });
    expect(await marks()).toHaveLength(36);
    expect(run.errors.map(({ objectID }: { objectID: string }) => objectID).sort()).toEqual(
      [3, 13, 23, 33].map((n) => `managed/item/i${n}`).sort(),
    );
    expect(run.errors[0].error).toMatchObject({ code: 418, message: expect.stringMatching(/^number \d+$/) });
    const { task } = await item('i13');
    expect(task).toEqual({ started: expect.stringMatching(ISO) });
  });

  it('gives a value that only one object may have to one of those that are processed together', async () => {
    await items(12);
    const run = await perform(
      scan('svc.patch(objectID, null, [{operation: "add", field: "serial", value: "the one"}]); true;'),
    );
    expect(run.progress).toMatchObject({ successes: 1, failures: 11 });
    const { body } = await site.api('GET', 'managed/item?_queryFilter=serial eq "the one"');
    expect(body.resultCount).toBe(1);
  });

  it('fails an object whose claim its own hooks refuse', async () => {
    // The last two are those of a claim that somebody else was faster with.
    const codes = [false, true, 409, 412];
    await items(4, (n) => ({ refuses: codes[n] }));
    const run = await perform(scan(MARK));
    expect(run.progress).toMatchObject({ state: 'COMPLETED', successes: 1, failures: 3 });
    const errors = run.errors.toSorted((a: { objectID: string }, b: { objectID: string }) =>
      a.objectID.localeCompare(b.objectID),
    );
    expect(errors).toMatchObject(
      [403, 409, 412].map((code, n) => ({
        objectID: `managed/item/i${n + 1}`,
        error: { code, message: 'no update' },
      })),
    );
    expect((await item('i1')).task).toBeUndefined();
  });

  it('takes a started object again after the recovery timeout only', async () => {
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    await items(3, (n) => ({ task: { started: ago([0, 60_000, 4_000_000][n]!) } }));
    expect((await perform(scan(MARK))).progress).toMatchObject({ total: 3, skipped: 3, processed: 0 });
    const { _queryFilter: _, ...byIds } = scan(MARK).scan;
    expect(
      (await perform({ ...scan(MARK), scan: { ...byIds, _queryId: 'query-all-ids' } })).progress,
    ).toMatchObject({ total: 3, skipped: 3 });
    const run = await perform(scan(MARK, {}, { recovery: { timeout: '1h' } }));
    expect(run.progress).toMatchObject({ successes: 1, skipped: 2 });
    expect(await marks()).toEqual(['managed/item/i2']);
  });

  it('tells the synchronization of its own marks unless it shall not', async () => {
    await items(1, { group: 'synced' });
    const notices = async () => (await site.api('GET', 'managed/sync?_queryFilter=true')).body.resultCount;
    const before = await notices();
    const { scan: what, task } = scan('true');
    const quiet = { ...what, taskState: { ...what.taskState, synchronize: false } };
    expect((await perform({ scan: quiet, task })).progress).toMatchObject({ successes: 1 });
    expect(await notices()).toBe(before);
    await perform(scan('true', {}, { _queryFilter: 'true' }));
    expect(await notices()).toBe(before + 2);
  });

  it('processes no more than maxRecords', async () => {
    await items(30);
    expect((await perform(scan(MARK, { maxRecords: 7 }))).progress).toMatchObject({ total: 7, successes: 7 });
    expect(await marks()).toHaveLength(7);
    expect((await perform(scan(MARK, { maxRecords: 0 }))).progress).toMatchObject({
      state: 'COMPLETED',
      total: 0,
    });
  });

  it('lets a script delete its object', async () => {
    await items(3);
    const run = await perform(scan('svc.delete(objectID, null); true;'));
    expect(run.progress).toMatchObject({ state: 'COMPLETED', successes: 3 });
    expect((await site.api('GET', 'managed/item?_queryFilter=true')).body.result).toEqual([]);
  });

  it('goes by the time in its query, and by predefined queries of the field', async () => {
    const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
    await items(4, (n) => ({ sunset: { date: days(n - 2) } }));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of the scan
    const past = scan(MARK, {}, { _queryFilter: '/sunset/date lt "${Time.now - 1h}"' });
    expect((await perform(past)).progress).toMatchObject({ total: 2 });
    const { _queryFilter: _, ...byName } = scan('true').scan;
    const named = {
      ...scan('true'),
      scan: {
        ...byName,
        _queryId: 'scan-tasks',
        property: '/sunset/date',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of the scan
        condition: { before: '${Time.now + 12h}' },
      },
    };
    expect((await perform(named)).progress).toMatchObject({ total: 1, successes: 1 });
  });

  it('never has more of a run at work than numberOfThreads', async () => {
    await items(24);
    await perform(
      scan(
        `var span = { from: Date.now() }; while (Date.now() < span.from + 15) {} span.to = Date.now();
         svc.create('managed/mark', null, span); true;`,
        { numberOfThreads: 2 },
      ),
    );
    const spans: { from: number; to: number }[] = (await site.api('GET', 'managed/mark?_queryFilter=true'))
      .body.result;
    const most = spans.map(
      (at) => spans.filter((other) => other.from <= at.from && at.from < other.to).length,
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(2);
  });

  it('answers at once, is cancelled between two objects, and says so', async () => {
    await items(60);
    // The first is done at once, and the next one when it is allowed to be.
    const source = `
      if (svc.read('managed/mark/first') === null) svc.create('managed/mark', 'first', {});
      else while (svc.read('managed/mark/open') === null) {}
      true;`;
    const script = { type: 'text/javascript', source, timeout: 120_000 };
    const { body } = await execute({ ...scan(''), numberOfThreads: 1, task: { script } });
    await eventually(
      async () => (await site.api('GET', `taskscanner/${body._id}`)).body,
      ({ progress }) => progress.state === 'ACTIVE' && progress.processed > 0,
    );
    const cancel = () => site.api('POST', `taskscanner/${body._id}?_action=cancel`);
    expect((await cancel()).body).toEqual({ status: 'SUCCESS', _id: body._id, action: 'cancel' });
    const run = (await site.api('GET', `taskscanner/${body._id}`)).body;
    expect(run).toMatchObject({ progress: { state: 'CANCELLED', total: 60 }, ended: '' });
    expect((await cancel()).body.status).toBe('SUCCESS');
    await site.api('PUT', 'managed/mark/open', { body: {} });
    await eventually(
      async () =>
        (
          await sql<{ lanes: number }>`select lanes from scan_run where id = ${body._id}`.execute(
            site.server.database.db,
          )
        ).rows,
      ([row]) => row!.lanes === 0,
    );
    const { progress } = (await site.api('GET', `taskscanner/${body._id}`)).body;
    const done = (await site.api('GET', 'managed/item?_queryFilter=/task/completed+pr')).body.result;
    expect(progress.processed).toBe(done.length);
    expect(done.length).toBeLessThan(60);
    expect((await sql`select from scan_slice`.execute(site.server.database.db)).rows).toEqual([]);
  });

  it('cannot cancel what has ended, or what is not there', async () => {
    const run = await perform(scan('true'));
    expect((await site.api('POST', `taskscanner/${run._id}?_action=cancel`)).body.status).toBe('FAILURE');
    const nowhere = 'taskscanner/00000000-0000-4000-8000-000000000000';
    expect((await site.api('POST', `${nowhere}?_action=cancel`)).status).toBe(404);
    expect((await site.api('GET', nowhere)).status).toBe(404);
    expect((await site.api('GET', 'taskscanner/what')).status).toBe(404);
  });

  it('has a failed query end the run, and the call that waits for it', async () => {
    const wrong = scan('true', {}, { object: 'managed/nothing' });
    const { body } = await execute(wrong);
    expect(await ended(body._id)).toMatchObject({
      progress: { state: 'ERROR' },
      error: { code: 404 },
      ended: expect.stringMatching(ISO),
    });
    expect((await execute(wrong, '&waitForCompletion=true')).status).toBe(404);
  });

  it('refuses what names no scan, and actions that it does not know', async () => {
    expect((await execute({})).body.detail.id).toBe('SCAN_NO_NAME');
    expect((await execute({ scan: {} })).body.detail).toMatchObject({
      id: 'SCAN_INVALID',
      field: '/invokeContext/task',
    });
    expect((await site.api('POST', 'taskscanner?_action=execute&name=schedule/nothing')).body).toMatchObject({
      code: 400,
      detail: { id: 'SCAN_UNKNOWN_NAME' },
    });
    expect((await site.api('POST', 'taskscanner?_action=explode')).status).toBe(400);
    expect(
      (await site.api('POST', 'taskscanner?_action=execute&waitForCompletion=maybe', { body: scan('true') }))
        .status,
    ).toBe(400);
    expect((await site.api('POST', 'taskscanner', { body: {} })).status).toBe(501);
    const patch = [{ operation: 'remove', field: '/x' }];
    expect((await site.api('PATCH', 'taskscanner/x', { body: patch })).status).toBe(501);
    expect((await site.api('POST', 'taskscanner/x?_action=explode')).status).toBe(400);
    expect((await site.api('GET', 'taskscanner/x/y')).status).toBe(404);
    expect((await site.api('PUT', 'taskscanner/x', { body: {} })).status).toBe(501);
    expect((await site.api('DELETE', 'taskscanner/x')).status).toBe(501);
  });

  it('lists its runs, oldest first, keeps as many ended ones as it should, and answers queries', async () => {
    for (let n = 0; n < 7; n++) await perform(scan('true'));
    const { body } = await site.api('GET', 'taskscanner');
    expect(Object.keys(body)).toEqual(['_id', 'tasks']);
    // Five were kept when the last one was started.
    expect(body.tasks).toHaveLength(6);
    const starts = body.tasks.map(({ started }: { started: string }) => started);
    expect(starts).toEqual([...starts].sort());
    const query = await site.api(
      'GET',
      'taskscanner?_queryFilter=/progress/state+eq+"COMPLETED"&_pageSize=2',
    );
    expect(query.body).toMatchObject({ resultCount: 2, result: [{ object: 'managed/item' }, {}] });
  });

  it('rehearses a scan: what it would claim, what the script would change, and nothing happens', async () => {
    await items(60, (n) => (n === 2 ? { task: { started: new Date().toISOString() } } : {}));
    const { body } = await execute(
      scan(`${MARK} if (input.n === 1) throw new Error('one'); true;`),
      '&_dryRun=true',
    );
    expect(body.result).toMatchObject({ total: 60 });
    expect(body.result.objects).toHaveLength(50);
    const outcomes = Object.fromEntries(
      body.result.tried.map((tried: { objectID: string; outcome: string }) => [
        tried.objectID,
        tried.outcome,
      ]),
    );
    expect(outcomes).toMatchObject({ 'managed/item/i0': 'completed', 'managed/item/i1': 'failed' });
    const changed = body.changes.map(({ resource }: { resource: string }) => resource);
    expect(changed.filter((path: string) => path === 'managed/item/i0')).toHaveLength(2);
    expect(changed).not.toContain('managed/item/i1');
    expect(body.effects).toEqual([]);
    expect(await marks()).toEqual([]);
    expect((await item('i0')).task).toBeUndefined();
  });

  it('fails an object whose script cannot be interrupted, and goes on', async () => {
    await items(4);
    const run = await perform({
      ...scan(''),
      numberOfThreads: 1,
      task: {
        script: {
          type: 'text/javascript',
          source: "if (input.n === 2) { new Array(60000000).join('x'); } true;",
          // The others must not need as long, however busy the machine is; each attempt burns it whole.
          timeout: 1_000,
        },
      },
    });
    expect(run.progress).toMatchObject({ state: 'COMPLETED', successes: 3, failures: 1 });
  });

  it('shows its runs in psql', async () => {
    await items(3);
    await perform(scan('if (input.n === 0) throw 1; true;'));
    const { rows } = await sql`
      select object, state, total, processed, successes, failures, skipped, percent
      from svc_scan_run order by started_at desc limit 1`.execute(site.server.database.db);
    expect(rows).toEqual([
      {
        object: 'managed/item',
        state: 'COMPLETED',
        total: 3,
        processed: 3,
        successes: 2,
        failures: 1,
        skipped: 0,
        percent: '100.0',
      },
    ]);
  });
});
