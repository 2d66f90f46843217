import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigStore } from '#config/index.ts';
import { type Database, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { Quarantine } from '#lifecycle/index.ts';
import { TriggerPoller } from '#scheduler/run/trigger-poller.ts';
import type { Tuning } from '#scheduler/run/tuning.ts';
import { type JobStore, jobStore } from '#scheduler/store/job-store.ts';
import { ofDatabase } from '../../../src/database/pool/database-error.ts';
import type { FiringResult } from '../../../src/scheduler/fire/fire-trigger.ts';
import { createSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import { schedulerTuning } from '../../../src/scheduler/scheduler-settings.ts';
import { setPaused } from '../../../src/scheduler/view/running-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { temporaryProject } from '../config/temporary-project.ts';

const past = '2020-01-01T00:00:00';

const definitionOf = (fields: JsonObject) =>
  parseSchedule({ type: 'simple', invokeService: 'held', ...fields }, { persisted: true });

describe('scheduler.json', () => {
  const tuningOf = async (content: object) => {
    await using project = await temporaryProject({ 'conf/scheduler.json': JSON.stringify(content) });
    return schedulerTuning(await ConfigStore.open(project.options));
  };

  it('may be empty, or set threads, threshold, waiting time, batch and the rule for clocks', async () => {
    const untuned = { threadCount: 10, dst: 'quartz', claims: true, ledgerDays: 90, countDays: 731 };
    expect(await tuningOf({})).toEqual(untuned);
    const advancedProperties = {
      'org.quartz.jobStore.misfireThreshold': '5000',
      'org.quartz.scheduler.idleWaitTime': 700,
      'org.quartz.scheduler.batchTriggerAcquisitionMaxCount': '20',
      'svc.cron.dst': 'smooth',
      'svc.ledger.keepDays': '7',
      'org.quartz.unknown': 'x',
    };
    const tuned = {
      misfireThresholdMs: 5000,
      idleWaitMs: 700,
      maxBatch: 20,
      dst: 'smooth',
      ledgerDays: 7,
      countDays: 731,
    };
    expect(await tuningOf({ threadPool: { threadCount: '4' }, advancedProperties })).toEqual({
      ...untuned,
      ...tuned,
      threadCount: 4,
    });
    const odd = {
      'org.quartz.scheduler.idleWaitTime': 'soon',
      'svc.ledger.keepDays': '0',
      'svc.cron.dst': 'x',
    };
    expect(await tuningOf({ advancedProperties: odd })).toEqual(untuned);
    const threads = { 'org.quartz.threadPool.threadCount': '3' };
    expect(await tuningOf({ advancedProperties: threads })).toMatchObject({ threadCount: 3 });
    const services = { sync: 2, 'com.example.own': '1' };
    expect((await tuningOf({ threadPool: { services } })).serviceThreads).toEqual(
      new Map([
        ['svc.service.sync', 2],
        ['com.example.own', 1],
      ]),
    );
  });
});

describe('the trigger poller', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(database.db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  /** A node of two slots whose runs last until the gate opens. */
  function node(
    name: string,
    nodeId: number,
    gate: () => Promise<void>,
    fired: string[],
    store: JobStore = jobStore(database.db),
    tuning: () => Tuning = () => ({ threadCount: 2, idleWaitMs: 100 }),
    quarantine = new Quarantine(),
  ): TriggerPoller {
    return new TriggerPoller({
      store,
      quarantine,
      clock: { now: () => Date.now() },
      nodeName: name,
      holder: () => ({ nodeId, epoch: 1 }),
      tuning,
      async fire({ run }): Promise<FiringResult> {
        fired.push(`${name} ${run.jobId}`);
        await gate();
        return { end: 'completed', ms: 0, error: null, entries: [] };
      },
      observe: () => {},
    });
  }

  const schedule = (id: string, fields: JsonObject = { startTime: past }, nodeName = 'a') =>
    runUnitOfWork(database, {}, (unitOfWork) =>
      createSchedule(
        { unitOfWork, now: Date.now(), nodeName },
        { id, source: 'rest', definition: definitionOf(fields) },
      ),
    );

  const firedSo = (fired: readonly string[], start: string, count: number) =>
    eventually(
      async () => fired.filter((each) => each.startsWith(start)).length,
      (found) => found === count,
    );

  const inMemory = { startTime: past, persisted: false };
  const forgetAll = () => sql`truncate scheduler_job, scheduler_due, scheduler_run`.execute(database.db);
  const looked = (poller: TriggerPoller) =>
    eventually(
      async () => poller.lastBeatAt,
      (at) => at > 0,
    );

  it('of a node that starts while all is paused fires nothing from memory either', async () => {
    const fired: string[] = [];
    await setPaused(database.db, true, 'somebody');
    const a = node('a', 1, async () => {}, fired);
    await schedule('once', inMemory);
    await a.start();
    await looked(a);
    expect(fired).toEqual([]);
    await setPaused(database.db, false, 'somebody');
    await firedSo(fired, 'a once', 1);
    await a.stop();
  });

  it('fires what is in the memory of its node, and nothing that others have there', async () => {
    const fired: string[] = [];
    for (const owner of ['a', 'b']) await schedule('local', inMemory, owner);
    await schedule('shared');
    const a = node(
      'a',
      1,
      async () => {},
      fired,
      undefined,
      () => ({ threadCount: 2, claims: false, idleWaitMs: 100 }),
    );
    const b = node('b', 2, async () => {}, fired);
    await a.start();
    await firedSo(fired, 'a local', 1);
    await looked(a);
    expect(fired).toEqual(['a local']);
    await b.start();
    await firedSo(fired, 'b', 2);
    await Promise.all([a.stop(), b.stop()]);
    expect(fired.toSorted()).toEqual(['a local', 'b local', 'b shared']);
  });

  it('has slots of their own for both kinds, so that long runs of one keep none of the other waiting', async () => {
    const fired: string[] = [];
    const gates = { held: Promise.withResolvers<void>(), quick: Promise.resolve() };
    const a = node(
      'a',
      1,
      async () => (fired.at(-1)!.includes('held') ? gates.held.promise : gates.quick),
      fired,
    );
    for (const kind of [{}, inMemory]) {
      await forgetAll();
      fired.length = 0;
      gates.held = Promise.withResolvers<void>();
      for (const id of ['held-1', 'held-2', 'held-3']) await schedule(id, { startTime: past, ...kind });
      await a.start();
      await firedSo(fired, 'a held', 2);
      const other = 'persisted' in kind ? {} : { persisted: false };
      for (const id of ['quick-1', 'quick-2', 'quick-3']) await schedule(id, { startTime: past, ...other });
      a.wake();
      await firedSo(fired, 'a quick', 3);
      expect(a.active).toBeGreaterThanOrEqual(2);
      gates.held.resolve();
      await firedSo(fired, 'a held', 3);
      await a.stop();
    }
  });

  it('tells its runs to end when another node has taken over, and when it stops before they have ended', async () => {
    const signals: AbortSignal[] = [];
    const ended = Promise.withResolvers<void>();
    const poller = new TriggerPoller({
      store: jobStore(database.db),
      clock: { now: () => Date.now() },
      nodeName: 'a',
      holder: () => ({ nodeId: 1, epoch: 1 }),
      tuning: () => ({ threadCount: 1, idleWaitMs: 100 }),
      async fire(_firing, signal): Promise<FiringResult> {
        signals.push(signal);
        await Promise.race([
          ended.promise,
          new Promise((resolve) => signal.addEventListener('abort', resolve)),
        ]);
        return { end: 'completed', ms: 0, error: null, entries: [] };
      },
      observe: () => {},
      drainMs: 1,
    });
    const running = (count: number) =>
      eventually(
        async () => signals.length,
        (found) => found === count,
      );
    await poller.start();
    await schedule('taken-over');
    await running(1);
    expect(signals[0]!.aborted).toBe(false);
    poller.fencedOut();
    expect(String(signals[0]!.reason)).toMatch(/given up/);
    await schedule('never-ends');
    await running(2);
    await poller.stop();
    expect(String(signals[1]!.reason)).toMatch(/stops/);
    ended.resolve();
    await sql`delete from scheduler_job`.execute(database.db);
    await sql`delete from scheduler_due`.execute(database.db);
  });

  it('lets a concurrent run wait that cannot plan the next one without a database: it has done nothing yet', async () => {
    const fired: string[] = [];
    const released: unknown[] = [];
    const store = jobStore(database.db);
    let failures = 2;
    const a = node('a', 1, async () => {}, fired, {
      ...store,
      async planNext(...given) {
        if (failures-- > 0)
          throw ofDatabase(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
        await store.planNext(...given);
      },
      release(...given) {
        released.push(given);
        return store.release(...given);
      },
    });
    await schedule('often', { type: 'cron', schedule: '* * * * * ?', concurrentExecution: true });
    await a.start();
    await eventually(
      async () => fired.length,
      (found) => found > 0,
    );
    await a.stop();
    expect(failures).toBeLessThan(0);
    expect(released).toEqual([]);
    await sql`delete from scheduler_job`.execute(database.db);
    await sql`delete from scheduler_due`.execute(database.db);
  });

  it('takes no more threads than it has, nor than a service may have, also when that changes', async () => {
    const fired: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let tuning: Tuning = { threadCount: 1, idleWaitMs: 100 };
    const a = node(
      'a',
      1,
      () => gate,
      fired,
      undefined,
      () => tuning,
    );
    for (let n = 0; n < 3; n++) await schedule(`held-${n}`, inMemory);
    await schedule('free', { ...inMemory, invokeService: 'free', priority: 1 });
    await a.start();
    await firedSo(fired, 'a held', 1);
    tuning = { threadCount: 4, idleWaitMs: 100, serviceThreads: new Map([['svc.service.held', 2]]) };
    a.wake();
    await firedSo(fired, 'a held', 2);
    await firedSo(fired, 'a free', 1);
    expect(a.active).toBe(3);
    open();
    await firedSo(fired, 'a held', 3);
    await a.stop();
  });

  it('leaves what it has no slot for to other nodes', async () => {
    const fired: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    for (const id of ['one', 'two', 'three', 'four', 'five']) await schedule(id);
    const a = node('a', 1, () => gate, fired);
    const b = node('b', 2, () => gate, fired);
    await a.start();
    await firedSo(fired, 'a', 2);
    await b.start();
    await firedSo(fired, 'b', 2);
    await eventually(
      async () =>
        (await sql<{ n: number }>`select count(*) as n from scheduler_due`.execute(database.db)).rows,
      ([waiting]) => waiting!.n === 1,
    );
    open();
    await firedSo(fired, '', 5);
    await Promise.all([a.stop(), b.stop()]);
    expect(fired.map((each) => each.split(' ')[1]).sort()).toEqual(['five', 'four', 'one', 'three', 'two']);
  });

  it('hands back what it had claimed before long runs took all its slots', async () => {
    const fired: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    // A history of quick runs lets the node claim more than it has slots.
    let gateOfA = Promise.resolve();
    const a = node('a', 1, () => gateOfA, fired);
    for (let n = 0; n < 20; n++) await schedule(`quick-${n}`);
    await a.start();
    await firedSo(fired, 'a quick', 20);
    gateOfA = gate;
    for (let n = 0; n < 6; n++) await schedule(`long-${n}`);
    a.wake();
    await firedSo(fired, 'a long', 2);
    const b = node('b', 2, () => gate, fired);
    await b.start();
    await firedSo(fired, 'b long', 2);
    open();
    await firedSo(fired, '', 26);
    await Promise.all([a.stop(), b.stop()]);
    expect(new Set(fired).size).toBe(26);
  });

  it('runs a suspect when nothing else of its node runs, jobs neither, and lets nothing begin beside it', async () => {
    const fired: string[] = [];
    const ends = new Map(['suspect'].map((id) => [id, Promise.withResolvers<void>()]));
    const quarantine = new Quarantine({
      patienceMs: 600_000,
      limitMs: 600_000,
      mark: async (subject) => void fired.push(subject?.split(' ')[0] ?? 'nothing alone'),
    });
    const a = node(
      'a',
      1,
      async () => ends.get(fired.at(-1)!.split(' ')[1]!)?.promise,
      fired,
      undefined,
      undefined,
      quarantine,
    );
    await schedule('suspect');
    await sql`update scheduler_due set cause = '{"kind": "released", "node": "b", "suspected": 2}'`.execute(
      database.db,
    );
    const job = quarantine.begin();
    await a.start();
    await eventually(
      async () => quarantine.isOpen,
      (isOpen) => !isOpen,
    );
    await schedule('two');
    a.wake();
    expect(fired).toEqual([]);
    job();
    await firedSo(fired, 'a suspect', 1);
    a.wake();
    ends.get('suspect')!.resolve();
    await firedSo(fired, 'a two', 1);
    await a.stop();
    expect(fired).toEqual(['run', 'a suspect', 'nothing alone', 'a two']);
  });
});
