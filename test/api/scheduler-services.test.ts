import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { NEW_YEAR, scheduleSite, script } from '../support/schedule-site.ts';

const FILES = {
  'service/greet.ts': `
    export default {
      invokeService: 'greet',
      async execute(context: { svc: { create(path: string, id: null, content: object): Promise<unknown> } },
                    scheduled: Record<string, unknown> & { log(level: string, message: string): void }) {
        scheduled.log('info', 'greeting');
        await context.svc.create('managed/mark', null, {
          note: 'greeted',
          invoker: scheduled['scheduler.invoker-name'],
          context: scheduled['scheduler.invokeContext'],
          next: scheduled['scheduler.next-fire-time'],
          keys: Object.fromEntries(Object.entries(scheduled).filter(([key]) => /^schedule/.test(key))),
        });
      },
    };`,
  'service/dotted.ts': `export default { invokeService: 'org.example.mine', execute() {} };`,
};

describe('what a schedule runs', () => {
  const site = scheduleSite(FILES);
  const { put, act, ended, failed, ledger, marks } = site;

  it('runs services of the project, and their new versions', async () => {
    await put('greeting', { invokeService: 'greet', invokeContext: { whom: 'all' } });
    await act('greeting', 'trigger');
    await ended('greeting');
    expect(await marks('greeted')).toMatchObject([
      { invoker: expect.stringMatching(/^Scheduled greeting-/), context: { whom: 'all' }, next: null },
    ]);
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [{ keys }] = await marks('greeted');
    expect(keys).toMatchObject({
      'scheduler.config-name': 'scheduler-greeting',
      'scheduler.invokeService': 'svc.service.greet',
      'scheduler.invokeContext': { whom: 'all' },
      'scheduler.invokeLogLevel': 'info',
      'scheduler.invoker-name': expect.stringMatching(/^Scheduled greeting-/),
      'scheduler.scheduled-fire-time': iso,
      'scheduler.actual-fire-time': iso,
    });
    expect(JSON.parse(keys['schedule.config'])).toMatchObject({ schedule: NEW_YEAR, type: 'cron' });
    expect((await put('dotted', { invokeService: 'org.example.mine' })).body.invokeService).toBe(
      'org.example.mine',
    );
    await act('dotted', 'trigger');
    await ended('dotted');
    expect((await ledger('greeting'))[0].log).toEqual([{ level: 'info', message: 'greeting' }]);
    await site.server.project.write(
      'service/greet.ts',
      `export default { invokeService: 'greet', execute() { throw new Error('greeted anew'); } };`,
    );
    // A run that begins in the same quarter of a second may still find the old one.
    await eventually(
      async () => {
        await act('greeting', 'trigger');
        return ledger('greeting');
      },
      (rows) => rows.some((row: { error?: { cause?: string } }) => row.error?.cause === 'greeted anew'),
    );
  });

  it.each([
    ['sync', { action: 'reconcile', mapping: 'm' }, /There is no mapping 'm'/],
    ['provisioner', { action: 'liveSync', source: 'system/ldap/account' }, /There is no system 'ldap'/],
    ['gret', {}, /No scheduled service is called 'gret'/],
  ])(
    'records a failed run of %s, which has nothing to work on',
    async (invokeService, invokeContext, message) => {
      await put(`no-${invokeService}`, { invokeService, invokeContext });
      await act(`no-${invokeService}`, 'trigger');
      await failed(`no-${invokeService}`);
      expect(await ledger(`no-${invokeService}`)).toMatchObject([
        { failed: true, error: { message: expect.stringMatching(message) } },
      ]);
    },
  );

  it('keeps what a run outside a unit of work did before it failed', async () => {
    const source = "svc.create('managed/mark', null, { note: 'outside' }); throw 'stop';";
    await put('outside', { transactional: false, invokeContext: script(source) });
    expect((await site.api('GET', 'scheduler/job/outside')).body.transactional).toBe(false);
    await act('outside', 'trigger');
    await failed('outside');
    expect(await marks('outside')).toHaveLength(1);
  });

  it('commits nothing of a run outside a unit of work once it belongs to another node', async () => {
    const source = `
      svc.create('managed/mark', null, { note: 'ours' });
      while (svc.query('managed/mark', { _queryFilter: 'note eq "go on"' }).result.length === 0) {}
      svc.create('managed/mark', null, { note: 'theirs' });`;
    await put('given-up', { transactional: false, invokeContext: script(source) });
    await act('given-up', 'trigger');
    await eventually(
      () => marks('ours'),
      ({ length }) => length === 1,
    );
    // As a take-over does it.
    await sql`delete from scheduler_run r using scheduler_job j
              where j.trigger_id = r.trigger_id and j.id = 'given-up'`.execute(site.server.database.db);
    await site.api('POST', 'managed/mark', { body: { note: 'go on' } });
    await site.server.observed('trigger.fencedOut', (said) => said.schedule === 'given-up');
    expect(await marks('theirs')).toEqual([]);
  });

  it('ends the scripts of a node that was given up at their next call', async () => {
    const source = `
      svc.create('managed/mark', null, { note: 'endless' });
      while (svc.query('managed/mark', { _queryFilter: 'note eq "enough"' }).result.length === 0) {}`;
    const endless = { script: { type: 'text/javascript', source, timeout: 600_000 } };
    await put('endless', { invokeContext: endless });
    await act('endless', 'trigger');
    await site.server.observed('trigger.fired', (said) => said.schedule === 'endless');
    // As another node does that takes over.
    await sql`update cluster_node set epoch = epoch + 1 where state = 'running'`.execute(
      site.server.database.db,
    );
    await site.server.observed('trigger.fencedOut', (said) => said.schedule === 'endless');
    await site.api('POST', 'managed/mark', { body: { note: 'enough' } });
    await ended('endless');
    expect(await ledger('endless')).toMatchObject([{ outcome: 'manual', attempt: 2 }]);
    expect(await marks('endless')).toHaveLength(1);
  });
});
