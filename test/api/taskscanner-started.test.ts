import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { MARK, scan, scanSite } from '../support/scan-site.ts';

describe('a scan that a schedule or a script starts', () => {
  const site = scanSite();
  const { items, marks, ended } = site;

  it('runs a schedule by its name: of a file, and of one made over REST', async () => {
    await items(5, { group: 'sweep' });
    const { body } = await site.api(
      'POST',
      'taskscanner?_action=execute&name=schedule/sweep&waitForCompletion=true',
    );
    const run = (await site.api('GET', `taskscanner/${body._id}`)).body;
    expect(run).toMatchObject({ name: 'schedule/sweep', progress: { successes: 5 } });
    await site.api('PUT', 'scheduler/job/by-rest', {
      body: {
        enabled: false,
        type: 'cron',
        schedule: '0 0 2 * * ?',
        invokeService: 'taskscanner',
        invokeContext: scan('true', { waitForCompletion: true }, { _queryFilter: 'group eq "sweep"' }),
      },
    });
    const made = await site.api('POST', 'taskscanner?_action=execute&name=schedule/by-rest');
    expect((await site.api('GET', `taskscanner/${made.body._id}`)).body.progress).toMatchObject({
      successes: 5,
    });
    expect(await marks()).toHaveLength(5);
  });

  it('runs a schedule by its name with what its references stand for, unless that is a secret', async () => {
    await items(2, { group: 'sweep' });
    const run = (name: string) =>
      site.api('POST', `taskscanner?_action=execute&name=schedule/${name}&waitForCompletion=true`);
    const told = await run('telling');
    expect([told.status, told.body.detail]).toEqual([
      400,
      expect.objectContaining({ id: 'SCAN_SECRET', field: '/invokeContext/scan/_queryFilter' }),
    ]);
    expect(await marks()).toEqual([]);
    const { body } = await run('referring');
    expect((await site.api('GET', `taskscanner/${body._id}`)).body.progress).toMatchObject({ successes: 2 });
    expect(await marks()).toEqual(['i0', 'i1']);
  });

  it('does not try a schedule with a secret again in the name of somebody else', async () => {
    await items(1, { group: 'hidden', refuses: 403 });
    await site.api('POST', 'scheduler/job/telling?_action=trigger');
    const fired = await eventually(
      async () => (await site.api('GET', 'taskscanner?_queryFilter=name eq "schedule/telling"')).body.result,
      (runs) => runs.some(({ ended }: { ended?: string }) => ended !== undefined && ended !== ''),
    );
    const retried = await site.api('POST', `taskscanner/${fired[0]._id}?_action=retry`);
    expect([retried.status, retried.body.detail.id]).toEqual([400, 'SCAN_SECRET']);
  });

  it('keeps the secrets of its schedule encrypted with its run, and opens them where it works', async () => {
    await items(2, { group: 'sweep' });
    const { task, ...others } = scan("password === ['hunter', 1].join('-')");
    const script = { ...task.script, globals: { password: 'hunter-1' } };
    const query = { ...others.scan, _queryFilter: undefined, _queryId: 'by-key', apiKey: 'hunter-2' };
    const invokeContext = { ...others, scan: others.scan, task: { script } };
    const body = {
      enabled: false,
      schedule: '0 0 2 * * ?',
      invokeService: 'taskscanner',
      invokeContext,
    };
    await site.api('PUT', 'scheduler/job/secretive', { body });
    await site.api('POST', 'scheduler/job/secretive?_action=trigger');
    const done = await site.server.observed('scan.ended', (said) => said.scan === 'schedule/secretive');
    expect(done).toMatchObject({ state: 'COMPLETED', successes: 2, failures: 0 });
    // What is sent is kept as safely, and so is what its query is given.
    const sent = { ...invokeContext, scan: query };
    const failed = await site.execute(sent);
    expect(await ended(failed.body._id)).toMatchObject({ progress: { state: 'ERROR' } });
    const stored = await Promise.all(
      ['scan_run', 'svc_scan_run', 'work_job', 'audit_event'].map((table) =>
        site.server.database.pool.query(`select t::text as text from ${table} t`),
      ),
    );
    const text = JSON.stringify(stored.flatMap(({ rows }) => rows));
    expect(text.includes('x-simple-encryption')).toBe(true);
    expect(text.match(/hunter-\d/)).toBeNull();
    expect(JSON.stringify((await site.api('GET', 'taskscanner')).body)).not.toMatch(/hunter-\d/);
  });

  it('is not tried again once its schedule is gone', async () => {
    await items(1);
    const body = {
      enabled: false,
      schedule: '0 0 2 * * ?',
      invokeService: 'taskscanner',
      invokeContext: scan("throw new Error('withdrawn')"),
    };
    await site.api('PUT', 'scheduler/job/withdrawn', { body });
    const { body: run } = await site.api(
      'POST',
      'taskscanner?_action=execute&name=schedule/withdrawn&waitForCompletion=true',
    );
    await site.api('DELETE', 'scheduler/job/withdrawn');
    for (const dryRun of ['', '&_dryRun=true']) {
      const retried = await site.api('POST', `taskscanner/${run._id}?_action=retry${dryRun}`);
      expect([retried.status, retried.body.detail.id]).toEqual([400, 'SCAN_UNKNOWN_NAME']);
    }
  });

  it('is fired by a schedule, once for each firing, and the firing waits if it should', async () => {
    await items(10);
    const schedule = (invokeContext: object) => ({
      type: 'simple',
      startTime: '2020-01-01T00:00:00',
      timeZone: 'UTC',
      invokeService: 'taskscanner',
      invokeContext,
    });
    expect(
      (
        await site.api('PUT', 'scheduler/job/fired', {
          body: schedule(scan(MARK, { waitForCompletion: true })),
        })
      ).status,
    ).toBe(201);
    await site.server.observed('trigger.completed', (said) => said.schedule === 'fired');
    expect(await marks()).toHaveLength(10);
    const { rows } = await sql<{ log: { message: string }[] }>`
      select log from svc_firing where schedule = 'fired'`.execute(site.server.database.db);
    expect(rows[0]!.log[0]!.message).toMatch(/^scan .* is done$/);
    await site.api('PUT', 'scheduler/job/failing', {
      body: schedule(scan('true', { waitForCompletion: true }, { object: 'managed/nothing' })),
    });
    await site.server.observed('trigger.failed', (said) => said.schedule === 'failing');
    await site.api('PUT', 'scheduler/job/later', {
      body: schedule(scan('true', {}, { _queryFilter: 'true' })),
    });
    await site.server.observed(
      'scan.ended',
      (said) => said.scan === 'schedule/later' && said.successes === 10,
    );
  });

  it('has a schedule that could never scan refused when it is made', async () => {
    const { scan: _, ...without } = scan('true');
    const { status, body } = await site.api('PUT', 'scheduler/job/broken', {
      body: { type: 'cron', schedule: '0 0 2 * * ?', invokeService: 'taskscanner', invokeContext: without },
    });
    expect([status, body.detail]).toMatchObject([400, { id: 'SCAN_INVALID', field: '/invokeContext/scan' }]);
    const file = await site.api('PUT', 'config/schedule/broken', {
      body: { schedule: '0 0 2 * * ?', invokeService: 'taskscanner', invokeContext: without },
    });
    expect([file.status, JSON.stringify(file.body)]).toEqual([
      400,
      expect.stringContaining("needs an object 'scan'"),
    ]);
  });

  it('cannot be waited for by what has begun to store something', async () => {
    const source = `svc.create('managed/mark', null, {});
      svc.action('taskscanner', 'execute', what, { waitForCompletion: 'true' });`;
    const body = { type: 'text/javascript', source, globals: { what: scan('true') } };
    const answer = await site.api('POST', 'script?_action=eval', { body });
    expect(answer.body.message).toContain('cannot be waited for');
    expect(await marks()).toEqual([]);
  });

  it('starts from a script exactly if what the script does is committed', async () => {
    await items(2);
    const eval_ = (source: string) =>
      site.api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source, globals: { what: scan(MARK) } },
      });
    const started = "svc.action('taskscanner', 'execute', what, {})._id;";
    expect((await eval_(`${started} throw new Error('no');`)).status).toBe(500);
    const { body } = await eval_(started);
    expect((await ended(body)).progress).toMatchObject({ successes: 2 });
    expect(await marks()).toHaveLength(2);
  });
});
