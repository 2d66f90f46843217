import { describe, expect, it } from 'vitest';
import { MARK, scan, scanSite } from '../support/scan-site.ts';

/** Fails for what is broken, and leaves a mark of all else. */
const SCRIPT = `if (input.broken) throw new Error('broken ' + input.broken); ${MARK}`;

describe('what failed in a scan', () => {
  const site = scanSite();
  const { items, perform, marks, ended } = site;
  const retry = (id: string, parameters = '') =>
    site.api('POST', `taskscanner/${id}?_action=retry${parameters}`);
  const failuresOf = async (id: string, parameters = '') =>
    (await site.api('GET', `taskscanner/${id}/failure?_queryFilter=true${parameters}`)).body;
  const mend = (id: string) =>
    site.api('PATCH', `managed/item/${id}`, { body: [{ operation: 'remove', field: '/broken' }] });

  it('is listed page by page, with its error', async () => {
    await items(6, (n) => (n < 3 ? { broken: n === 2 ? 'badly' : 'a bit' } : {}));
    const run = await perform(scan(SCRIPT));
    expect(run.progress).toMatchObject({ successes: 3, failures: 3 });
    const first = await failuresOf(run._id, '&_pageSize=2');
    const second = await failuresOf(
      run._id,
      `&_pageSize=2&_pagedResultsCookie=${encodeURIComponent(first.pagedResultsCookie)}`,
    );
    const all = [...first.result, ...second.result];
    expect(all.map(({ _id }: { _id: string }) => _id).sort()).toEqual([
      'managed/item/i0',
      'managed/item/i1',
      'managed/item/i2',
    ]);
    expect(all[0]).toMatchObject({ error: { code: 500 }, failedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    const badly = encodeURIComponent('message co "badly"');
    const path = `taskscanner/${run._id}/failure?_queryFilter=${badly}&_fields=_id`;
    expect((await site.api('GET', path)).body.result).toEqual([{ _id: 'managed/item/i2' }]);
    const nowhere = 'taskscanner/00000000-0000-4000-8000-000000000000/failure?_queryFilter=true';
    expect((await site.api('GET', nowhere)).status).toBe(404);
  });

  it('is tried again once, and only what nobody has taken since', async () => {
    await items(6, (n) => (n < 4 ? { broken: 'a bit' } : {}));
    const { _id } = await perform(scan(SCRIPT));
    await Promise.all(['i0', 'i1', 'i2'].map(mend));
    // Somebody has done with it by hand.
    const done = [{ operation: 'add', field: '/task/completed', value: new Date().toISOString() }];
    await site.api('PATCH', 'managed/item/i2', { body: done });

    const rehearsed = (await retry(_id, '&_dryRun=true')).body.result;
    expect(rehearsed.total).toBe(4);
    const outcomes = rehearsed.tried.map((tried: { objectID: string; outcome: string }) => [
      tried.objectID.slice(-2),
      tried.outcome,
    ]);
    expect(Object.fromEntries(outcomes)).toEqual({
      i0: 'completed',
      i1: 'completed',
      i2: 'skipped',
      i3: 'failed',
    });

    const answers = await Promise.all([retry(_id), retry(_id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const retried = answers.find(({ status }) => status === 200)?.body;
    expect(retried).toEqual({ _id: expect.any(String), retryOf: _id, objects: 4 });
    expect((await ended(retried._id)).progress).toMatchObject({ successes: 2, failures: 1, skipped: 1 });
    expect(await marks()).toEqual(['i0', 'i1', 'i4', 'i5'].map((id) => `managed/item/${id}`));
    expect((await site.api('GET', `taskscanner/${_id}`)).body).toMatchObject({ retriedBy: retried._id });

    const again = (await retry(_id)).body;
    expect([again.code, again.detail.id]).toEqual([409, 'SCAN_RETRIED']);
    await mend('i3');
    const last = (await retry(retried._id)).body;
    expect((await ended(last._id)).progress).toMatchObject({ total: 1, successes: 1 });
    expect(await marks()).toHaveLength(5);
  });

  it('shows when the firing of a schedule is rehearsed', async () => {
    await items(3, (n) => (n === 0 ? { broken: 'a bit' } : {}));
    const body = {
      enabled: false,
      schedule: '0 0 2 * * ?',
      invokeService: 'taskscanner',
      invokeContext: scan(SCRIPT),
    };
    await site.api('PUT', 'scheduler/job/rehearsed-scan', { body });
    const answer = await site.api('POST', 'scheduler/job/rehearsed-scan?_action=trigger&_dryRun=true');
    expect(answer.body.result).toMatchObject({ _id: 'rehearsed-scan', rehearsal: { total: 3 } });
    const outcomes = answer.body.result.rehearsal.tried.map((tried: { outcome: string }) => tried.outcome);
    expect(outcomes.sort()).toEqual(['completed', 'completed', 'failed']);
    expect(answer.body.changes.length).toBeGreaterThan(2);
    expect(await marks()).toEqual([]);
    await site.api('DELETE', 'scheduler/job/rehearsed-scan');
  });

  it('shows what came of one object alone when that has taken long already', async () => {
    await items(3);
    const slow = 'const until = Date.now() + 5_500; while (Date.now() < until); true;';
    const { body } = await site.execute(scan(slow), '&_dryRun=true');
    expect(body.result.total).toBe(3);
    expect(body.result.objects).toHaveLength(3);
    expect(body.result.tried.map((tried: { outcome: string }) => tried.outcome)).toEqual(['completed']);
  });

  it('is nothing, or not known yet', async () => {
    await items(1);
    const fine = await perform(scan(SCRIPT));
    const nothing = (await retry(fine._id)).body;
    expect([nothing.code, nothing.detail.id]).toEqual([400, 'SCAN_NOTHING_FAILED']);
    await site.api('PATCH', 'managed/item/i0', { body: [{ operation: 'remove', field: '/task' }] });
    const slow = 'const until = Date.now() + 1500; while (Date.now() < until); true;';
    const { body } = await site.execute(scan(slow));
    const early = (await retry(body._id)).body;
    expect([early.code, early.detail.id]).toEqual([409, 'SCAN_UNDER_WAY']);
    await site.api('POST', `taskscanner/${body._id}?_action=cancel`);
  });
});
