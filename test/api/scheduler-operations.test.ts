import { spawn } from 'node:child_process';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { MARK, NEW_YEAR, scheduleSite } from '../support/schedule-site.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** What it is made into is a secret as well. */
const WHOLE = { $object: '{"pin":"&{remote.password}"}' };
const FILES = {
  'conf/schedule-in-memory.json': {
    schedule: '0 0 0 1 1 ?',
    timeZone: 'UTC',
    invokeService: 'script',
    invokeContext: { input: { note: 'in-memory' }, script: MARK },
  },
  'conf/boot/boot.properties': 'remote.password=Tell-nobody-7\n',
  'conf/schedule-secretive.json': {
    schedule: NEW_YEAR,
    timeZone: 'UTC',
    persisted: true,
    invokeService: 'script',
    invokeContext: {
      input: { password: '&{remote.password}', whole: WHOLE },
      script: {
        type: 'text/javascript',
        source: "svc.create('managed/mark', null, { note: object.password })",
      },
    },
  },
};

describe('the operation of schedules', () => {
  const site = scheduleSite(FILES);
  const { put, act, ended, ids, ledger, marks } = site;

  it('tells nobody what references in its files stand for, and keeps them while they stay where they are', async () => {
    const path = 'scheduler/job/secretive';
    const read = (await site.api('GET', path)).body;
    expect(read.invokeContext.input).toEqual({ password: '&{remote.password}', whole: WHOLE });
    const { triggers, nextRunDate, previousRunDate, ...fields } = read;
    const later = { ...fields, schedule: '0 0 1 1 1 ?' };
    const answers = [
      (await site.api('GET', 'scheduler/job?_queryFilter=true')).body,
      (await site.api('PUT', `${path}?_dryRun=true`, { body: later })).body,
      (await site.api('PUT', path, { body: later })).body,
      (await site.api('GET', 'audit/activity?_queryFilter=true')).body,
      (await site.api('GET', 'scheduler/trigger?_queryFilter=true')).body,
    ];
    expect(answers[1].changes).toHaveLength(1);
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('Tell-nobody-7');
    const elsewhere = { ...fields.invokeContext, script: MARK };
    const moved = await site.api('PUT', path, { body: { ...fields, invokeContext: elsewhere } });
    expect([moved.status, moved.body.detail.id]).toEqual([400, 'CONFIG_SECRET_BOUND']);
    for (const asked of [
      'invokeContext/input/password sw "T"',
      'invokeContext/input/password pr',
      'invokeContext/input/whole/pin sw "T"',
    ]) {
      const guess = await site.api('GET', `scheduler/job?_queryFilter=${encodeURIComponent(asked)}`);
      expect([guess.status, guess.body.detail.id]).toEqual([403, 'QUERY_SECRET']);
    }
    await site.api('POST', `${path}?_action=trigger`);
    const marks = `managed/mark?_queryFilter=${encodeURIComponent('note eq "Tell-nobody-7"')}`;
    await eventually(
      async () => (await site.api('GET', marks)).body.result,
      (found) => found.length === 1,
    );
  });

  it('are told which action was meant', async () => {
    const { status, body } = await site.api('POST', 'scheduler/job?_action=pausJobs');
    expect([status, body.detail.hint]).toEqual([
      400,
      expect.stringMatching(/^Did you mean 'pauseJobs'\? Its actions/),
    ]);
  });
  it('starts a schedule by hand, as a firing of its own', async () => {
    await put('by-hand', { invokeContext: { input: { note: 'by-hand' }, script: MARK } });
    const { nextRunDate } = (await site.api('GET', 'scheduler/job/by-hand')).body;
    const answer = await act('by-hand', 'trigger');
    expect(answer.body).toEqual({ _id: 'by-hand', firing: expect.stringMatching(/^\d+\.1\.\d+$/) });
    await ended('by-hand');
    expect(await marks('by-hand')).toHaveLength(1);
    const firing = await site.api('GET', `scheduler/firing/${answer.body.firing}`);
    expect(firing.body).toMatchObject({ schedule: 'by-hand', outcome: 'manual', failed: false, attempt: 1 });
    expect((await site.api('GET', 'scheduler/job/by-hand')).body).toMatchObject({
      nextRunDate,
      previousRunDate: firing.body.plannedAt,
    });
  });

  it('lists firings latest first, and compares and pages their times as they are shown', async () => {
    await put('timed', { invokeContext: { input: { note: 'timed' }, script: MARK } });
    const listed = async (): Promise<string[]> =>
      (await ledger('timed')).map((row: { plannedAt: string }) => row.plannedAt);
    for (let n = 1; n <= 3; n++) {
      await act('timed', 'trigger');
      await eventually(listed, ({ length }) => length === n);
    }
    const times = await listed();
    expect(times).toEqual(times.toSorted().reverse());
    const [, middle] = times as [string, string, string];
    const holds = {
      eq: (time: string) => time === middle,
      gt: (time: string) => time > middle,
      ge: (time: string) => time >= middle,
      lt: (time: string) => time < middle,
      le: (time: string) => time <= middle,
      sw: (time: string) => time.startsWith(middle),
    };
    for (const [operator, isMeant] of Object.entries(holds)) {
      const filter = encodeURIComponent(`schedule eq "timed" and plannedAt ${operator} "${middle}"`);
      const { body } = await site.api('GET', `scheduler/firing?_queryFilter=${filter}`);
      expect(body.result.map((row: { plannedAt: string }) => row.plannedAt)).toEqual(times.filter(isMeant));
    }
    const paged: string[] = [];
    const filter = encodeURIComponent('schedule eq "timed"');
    for (let cookie: string | null = ''; cookie !== null; ) {
      const from: string = cookie === '' ? '' : `&_pagedResultsCookie=${cookie}`;
      const page = `_queryFilter=${filter}&_pageSize=1&_sortKeys=plannedAt${from}`;
      const { body } = await site.api('GET', `scheduler/firing?${page}`);
      paged.push(...body.result.map((row: { plannedAt: string }) => row.plannedAt));
      cookie = body.pagedResultsCookie;
    }
    expect(paged).toEqual(times.toReversed());
  });

  it('pauses and resumes one schedule', async () => {
    await put('stopped', { schedule: '* * * * * ?' });
    await act('stopped', 'pause');
    // A run that was under way when it was paused may end first.
    const shown = async () => (await site.api('GET', 'scheduler/job/stopped')).body.triggers[0].state;
    expect(await eventually(shown, (state) => state !== 4)).toBe(1);
    const edited = (await put('stopped', { schedule: '0/1 * * * * ?' })).body;
    expect(edited).toMatchObject({ triggers: [{ state: 1 }], nextRunDate: expect.any(String) });
    await act('stopped', 'resume');
    await ended('stopped');
    await site.api('DELETE', 'scheduler/job/stopped');
    expect((await act('stopped', 'pause')).status).toBe(404);
  });

  it('is as it was before somebody changed it, when that is taken back', async () => {
    await put('mended', { misfirePolicy: 'fireAndProceed' });
    const { _id, _rev, ...before } = (await site.api('GET', 'scheduler/job/mended')).body;
    await put('mended', { misfirePolicy: 'fireAndProceed', schedule: '0 45 5 * * ?', enabled: false });
    const asked = `audit/activity?_queryFilter=${encodeURIComponent('objectId eq "scheduler/job/mended"')}`;
    const [{ _id: entry }] = (await site.api('GET', `${asked}&_sortKeys=-timestamp`)).body.result;
    const revert = () => site.api('POST', `audit/activity/${entry}?_action=revert`, { body: {} });
    expect((await revert()).body).toMatchObject({ conflicts: [], left: [] });
    const { schedule, enabled, invokeContext } = (await site.api('GET', 'scheduler/job/mended')).body;
    expect({ schedule, enabled, invokeContext }).toEqual({
      schedule: before.schedule,
      enabled: before.enabled,
      invokeContext: before.invokeContext,
    });
    await put('mended', { schedule: '0 0 7 * * ?' });
    expect((await revert()).body.detail.conflicts).toMatchObject([{ resource: 'scheduler/job/mended' }]);
  });

  it('previews the next dates, with what changes of clocks do to them', async () => {
    const body = {
      schedule: '0 30 2 * * ?',
      timeZone: 'Europe/Berlin',
      startTime: '2038-03-27T00:00:00',
      count: 3,
    };
    const preview = await site.api('POST', 'scheduler/job?_action=nextRunDates', { body });
    expect(preview.body).toEqual({
      words: 'At 02:30',
      timeZone: 'Europe/Berlin',
      dates: [
        { date: '2038-03-27T01:30:00.000Z', localTime: '2038-03-27T02:30:00' },
        { date: '2038-03-29T00:30:00.000Z', localTime: '2038-03-29T02:30:00' },
        { date: '2038-03-30T00:30:00.000Z', localTime: '2038-03-30T02:30:00' },
      ],
      dst: [
        { at: '2038-03-28T01:00:00.000Z', note: expect.stringMatching(/^Clocks skip in Europe.Berlin/) },
        {
          at: '2038-10-31T01:00:00.000Z',
          note: expect.stringMatching(/^Clocks show twice in Europe.Berlin/),
        },
        { at: '2039-03-27T01:00:00.000Z', note: expect.stringMatching(/^Clocks skip in Europe.Berlin/) },
      ],
      leftOut: [expect.stringMatching(/skip from 2038-03-28T02:00:00 to 2038-03-28T03:00:00/)],
    });
    await put('previewed', { schedule: '0 30 2 31 10 ? 2038', timeZone: 'Europe/Berlin' });
    const headers = { 'Accept-Language': 'de-DE, en;q=0.5' };
    for (const path of ['scheduler/job/previewed', 'scheduler/job?_queryFilter=_id+eq+"previewed"']) {
      const { body } = await site.api('GET', path, { headers });
      expect(body.result?.[0] ?? body).toMatchObject({ words: expect.stringMatching(/^Um 02:30/) });
    }
    const own = await act('previewed', 'nextRunDates', { count: 5 });
    expect(own.body.dates).toEqual([
      expect.objectContaining({
        localTime: '2038-10-31T02:30:00',
        note: expect.stringMatching(/second instant/),
      }),
    ]);
    expect((await act('previewed', 'nextRunDates', { count: 0 })).body.detail.field).toBe('/count');
  });

  it('answers queries of schedules, triggers and firings page by page in the database', async () => {
    for (let n = 0; n < 7; n++) await put(`page-${n}`);
    expect(await ids('scheduler/job', '_id sw "page-"', '&_pageSize=3&_pagedResultsOffset=1')).toEqual([
      'page-1',
      'page-2',
      'page-3',
    ]);
    const path = `scheduler/job?_queryFilter=${encodeURIComponent('_id sw "page-"')}&_pageSize=5&_totalPagedResultsPolicy=EXACT`;
    const first = (await site.api('GET', path)).body;
    expect(first).toMatchObject({ resultCount: 5, totalPagedResults: 7 });
    const second = (await site.api('GET', `${path}&_pagedResultsCookie=${first.pagedResultsCookie}`)).body;
    expect(second).toMatchObject({ resultCount: 2, pagedResultsCookie: null });
    expect(await ids('scheduler/job', '_id sw "page-" and nextRunDate lt "2020-01-01"')).toEqual([]);
    expect(await ids('scheduler/job', '_id sw "page-"', '&_pageSize=5&_pagedResultsOffset=99')).toEqual([]);
    expect(await ids('scheduler/job', '_id sw "page-"', '&_sortKeys=-_id&_pageSize=1')).toEqual(['page-6']);
    expect(await ids('scheduler/trigger', 'name sw "page-" and state eq 0', '&_pageSize=2')).toHaveLength(2);
    expect(
      (await site.api('GET', 'scheduler/trigger?_queryId=query-all-ids&_pageSize=1')).body.result,
    ).toEqual([{ _id: expect.stringMatching(/^scheduler-service-group/) }]);
    const waiting = (await site.api('GET', 'scheduler/waitingTriggers')).body;
    expect(waiting._id).toBe('waitingTriggers');
    expect(waiting.names).toContain('scheduler-service-group_$x$x$_page-0');
    const [node] = Object.keys((await site.api('GET', 'scheduler/acquiredTriggers')).body).filter(
      (key) => !key.startsWith('_'),
    );
    expect(node).toEqual(expect.any(String));
  });

  it('keeps a schedule in memory on its node, beside the others', async () => {
    const created = await put('volatile', { persisted: false, concurrentExecution: true });
    expect([created.status, created.body.persisted]).toEqual([201, false]);
    const read = (await site.api('GET', 'scheduler/job/volatile')).body;
    expect(read).toMatchObject({ triggers: [{ name: 'volatile', nodeId: null, acquired: false }] });
    expect(read.triggers[0]).not.toHaveProperty('_id');
    expect(await ids('scheduler/job', '_id eq "volatile" or _id eq "in-memory"')).toEqual([
      'in-memory',
      'volatile',
    ]);
    expect((await site.api('GET', 'scheduler/trigger/volatile')).status).toBe(404);
    expect(
      (await site.api('PUT', 'scheduler/job/volatile', { body: read, headers: { 'If-None-Match': '*' } }))
        .status,
    ).toBe(412);

    const rehearsed = await site.api('POST', 'scheduler/job/volatile?_action=trigger&_dryRun=true');
    expect(rehearsed.body).toMatchObject({ dryRun: true, result: { _id: 'volatile' } });
    await act('volatile', 'trigger');
    await ended('volatile');
    await act('in-memory', 'trigger');
    await ended('in-memory');
    expect(await marks('in-memory')).toHaveLength(1);
    const entries = await eventually(
      async () => [...(await ledger('volatile')), ...(await ledger('in-memory'))],
      (rows) => rows.length === 2,
    );
    expect(entries).toMatchObject([{ outcome: 'manual' }, { outcome: 'manual' }]);

    expect((await put('volatile', { persisted: true })).body).toMatchObject({ persisted: true });
    expect((await site.api('GET', 'scheduler/trigger/volatile')).status).toBe(200);
    await put('volatile', { persisted: false });
    expect((await site.api('DELETE', 'scheduler/job/volatile')).body).toMatchObject({
      _id: 'volatile',
      persisted: false,
    });
    expect((await site.api('GET', 'scheduler/job/volatile')).status).toBe(404);
  });

  it('lets scripts register schedules in memory', async () => {
    const source = `
      var job = { type: 'simple', persisted: false, invokeService: 'script',
                  invokeContext: { script: { type: 'text/javascript', source: '1' } } };
      svc.create('scheduler/job', 'from-script', job).persisted`;
    const body = { type: 'text/javascript', source };
    expect((await site.api('POST', 'script?_action=eval&_dryRun=true', { body })).body.result).toBe(false);
    expect((await site.api('GET', 'scheduler/job/from-script')).status).toBe(404);
    expect((await site.api('POST', 'script?_action=eval', { body })).body).toBe(false);
    expect((await site.api('GET', 'scheduler/job/from-script')).body).toMatchObject({ persisted: false });
    await ended('from-script');
    expect((await site.api('GET', 'scheduler/job/from-script')).status).toBe(404);
  });

  it('follows scheduler.json while it runs', async () => {
    await put('followed', { invokeContext: { input: { note: 'followed' }, script: MARK } });
    await site.api('PUT', 'config/scheduler', {
      body: { scheduler: { executePersistentSchedules: 'false' } },
    });
    await act('followed', 'trigger');
    // Schedules in memory are not meant by it, so when this one has run the other would have, too.
    await put('meanwhile', { persisted: false });
    await act('meanwhile', 'trigger');
    await ended('meanwhile');
    expect(await marks('followed')).toEqual([]);
    await site.api('PUT', 'config/scheduler', { body: { scheduler: { executePersistentSchedules: true } } });
    await ended('followed');
    expect(await marks('followed')).toHaveLength(1);
  });

  it('writes a row of the ledger for each time that was missed', async () => {
    await put('missed', { schedule: '* * * * * ?' });
    await act('missed', 'pause');
    // A run that was under way when it was paused lets the next one wait only when it ends, perhaps as blocked by it.
    await eventually(
      () =>
        sql`update scheduler_due set cause = null, fire_at = date_trunc('second', clock_timestamp()) - interval '15 seconds'
            where trigger_id = (select trigger_id from scheduler_job where id = 'missed')`.execute(
          site.server.database.db,
        ),
      ({ numAffectedRows }) => numAffectedRows === 1n,
    );
    await act('missed', 'resume');
    const misfired = (rows: { outcome: string }[]) => rows.filter(({ outcome }) => outcome === 'misfired');
    const rows = await eventually(
      () => ledger('missed'),
      (found: { outcome: string }[]) =>
        misfired(found).length >= 15 && found.some(({ outcome }) => outcome === 'fired'),
    );
    expect(misfired(rows)[0]).toMatchObject({ why: expect.stringMatching(/fireAndProceed: fired once at/) });
    await site.api('DELETE', 'scheduler/job/missed');
  });

  it('tells why a schedule fired or did not', async () => {
    await put('explained', { schedule: '* * * * * ?' });
    await ended('explained');
    await act('explained', 'pause');
    const [entry] = await ledger('explained');
    // It has fired each second before.
    await site.server.database.pool.query(
      `insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node)
       select planned_at - n * interval '1 second', trigger_id, generation, job_id, 'misfired', node
       from scheduler_firing, generate_series(1, 60) n where job_id = 'explained' and planned_at = $1 on conflict do nothing`,
      [entry.plannedAt],
    );
    const told = (await act('explained', 'why', { time: entry.plannedAt })).body;
    expect(told).toMatchObject({
      schedule: 'explained',
      planned: true,
      outcome: expect.stringMatching(/^(fired|late)$/),
    });
    expect(told.why).toMatch(/fired on node .*, (?:[\d.]+ ms after its time|but [\d.]+ ms late: .+)/);
    const texts = told.chain.map((link: { text: string }) => link.text).join('\n');
    for (const fact of [/was created/, /claimed it/, /started it, attempt 1/, /ended as (?:fired|late)/]) {
      expect(texts).toMatch(fact);
    }
    const never = await act('previewed', 'why', { time: '2038-01-01T00:00:00Z' });
    expect(never.body).toMatchObject({ planned: false, outcome: 'notPlanned' });
    await put('idle', { schedule: '0 0 2 * * ?', enabled: false });
    const idle = await act('idle', 'why', { time: '2038-01-01T00:00:00Z' });
    expect(idle.body).toMatchObject({ outcome: 'notPlanned', why: expect.stringMatching(/it is disabled/) });
    expect((await act('explained', 'why', {})).body.detail.field).toBe('/time');
    expect((await act('nobody', 'why', { time: entry.plannedAt })).status).toBe(404);

    const cli = spawn(
      process.execPath,
      ['src/main.ts', 'why', 'schedule', 'explained', '--at', entry.plannedAt],
      { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: site.server.database.url } },
    );
    let output = '';
    cli.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    expect(await new Promise((resolve) => cli.once('close', resolve))).toBe(0);
    expect(output).toMatch(/^Schedule explained at .*Z\nIt fired on node/);
  });

  it('shows the cluster', async () => {
    // One that is busy may be silent for a while.
    const { body } = await eventually(
      () => site.api('GET', 'cluster'),
      (answer) => answer.body.results[0].state === 'running',
    );
    expect(body).toEqual({
      _id: '',
      results: [
        { instanceId: expect.any(String), startup: expect.any(String), shutdown: '', state: 'running' },
      ],
    });
    const { instanceId } = body.results[0];
    await expect
      .poll(async () => (await site.api('GET', `cluster/${instanceId}`)).body)
      .toEqual({ _id: instanceId, ...body.results[0] });
    expect((await site.api('GET', 'cluster/nobody')).status).toBe(404);
    expect((await site.api('DELETE', `cluster/${instanceId}`)).status).toBe(501);

    await sql`insert into cluster_node (name, state, stopped_at, recovery) values
      ('left', 'down', now(), null),
      ('done', 'down', null, jsonb_build_object('recoveredBy', 'b', 'recoveryAttempts', 1, 'recoveryFinished', 't')),
      ('dying', 'down', null, jsonb_build_object('recoveredBy', 'b', 'recoveryAttempts', 1,
                                                 'recoveryStarted', clock_timestamp()))`.execute(
      site.server.database.db,
    );
    const state = async (name: string) => (await site.api('GET', `cluster/${name}`)).body;
    expect(await state('left')).toMatchObject({ state: 'down', shutdown: expect.stringMatching(/Z$/) });
    expect(await state('left')).not.toHaveProperty('recovery');
    expect(await state('done')).toMatchObject({
      state: 'down',
      shutdown: '',
      recovery: { recoveredBy: 'b' },
    });
    const dying = await state('dying');
    expect(dying.recovery).toMatchObject({
      state: 'processing-down',
      recoveringBy: 'b',
      recoveryAttempts: 1,
    });
    expect(dying).not.toHaveProperty('state');
    await sql`delete from cluster_node where name in ('left', 'done', 'dying')`.execute(
      site.server.database.db,
    );
  });

  it('keeps the months of the ledger, and drops old ones', async () => {
    const { db } = site.server.database;
    const { rows } = await sql<{ dropped: number }>`
      select scheduler_firing_add_partitions(), scheduler_firing_prune(interval '90 days') as dropped`.execute(
      db,
    );
    expect(rows[0]!.dropped).toBe(0);
    await sql`create table scheduler_firing_2020_01 (like scheduler_firing including all)`.execute(db);
    await sql`alter table scheduler_firing attach partition scheduler_firing_2020_01
              for values from ('2020-01-01T00:00:00Z') to ('2020-02-01T00:00:00Z')`.execute(db);
    const pruned = await sql<{ dropped: number }>`
      select scheduler_firing_prune(interval '90 days') as dropped`.execute(db);
    expect(pruned.rows[0]!.dropped).toBe(1);
  });

  it('knows which late firings are to be merged, and refuses a priority that is none', async () => {
    expect((await put('merged', { coalesce: true })).body.coalesce).toBe(true);
    expect((await put('pushy', { priority: 11 })).body.detail).toMatchObject({ field: '/priority' });
    expect((await put('pushy', { priority: 10 })).body.priority).toBe(10);
  });
});
