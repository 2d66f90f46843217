import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry, Run } from '../../src/scheduler/run/run.ts';
import type { ClaimOptions } from '../../src/scheduler/store/claim-repository.ts';
import { subjectOf } from '../../src/scheduler/store/release-repository.ts';
import { eventually } from '../support/eventually.ts';
import { A, ASKED, B, type JobStoreHarness, openJobStore, T0 } from '../support/job-store-harness.ts';

describe.each([
  ['persisted', true],
  ['in memory', false],
])('a job store of schedules %s', (_where, persisted) => {
  let h: JobStoreHarness;
  beforeAll(async () => {
    h = await openJobStore(persisted);
  });
  beforeEach(() => h.clear());
  afterAll(() => h[Symbol.asyncDispose]());

  const claim = async (options: Partial<ClaimOptions> = {}) =>
    h.store.claim({ holder: A, limit: 10, lookAheadMs: 0, watermark: 0, ...options });
  const entry = (run: Run, outcome: LedgerEntry['outcome'] = 'fired'): LedgerEntry => ({
    jobId: 'j',
    node: 'a',
    outcome,
    plannedAt: run.fireAt,
    startedAt: run.fireAt,
    lateMs: 0,
    error: null,
    log: null,
    why: null,
  });
  const complete = async (run: Run, next: number | null, holder = A) => {
    const done = await h.store.complete(holder, [{ run, next, entries: [entry(run)] }]);
    return done.size === 1;
  };
  const claimOne = async (holder = A) => (await claim({ holder })).runs[0]!;

  it('gives each due firing to one claimer', async () => {
    for (let n = 0; n < 30; n++) await h.put(`j${n}`);
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, n) => claim({ holder: n % 2 === 0 ? A : h.other, limit: 20 })),
    );
    const runs = claims.flatMap((each) => each.runs.map((run) => run.triggerId));
    expect([runs.length, new Set(runs).size]).toEqual([30, 30]);
  });

  it('gives nothing before its time but within the look-ahead, and says when to come again', async () => {
    const soon = Date.now() + 60_000;
    await h.put('j', {}, soon);
    const { runs, nextDueAt } = await claim();
    expect(runs).toEqual([]);
    expect(nextDueAt).toBeGreaterThanOrEqual(soon - 1000);
    expect((await claim({ lookAheadMs: 61_000 })).runs).toHaveLength(1);
  });

  it('gives what is due earlier first, and of the same instant what has the higher priority', async () => {
    const at = { type: 'simple', startTime: '2030-01-01T00:00:00' };
    await h.put('low', { ...at, priority: 2 });
    await h.put('high', { ...at, priority: 9 });
    await h.put('normal', at);
    await h.put('early', { type: 'simple', startTime: '2029-01-01T00:00:00', priority: 1 });
    const { runs } = await claim({ lookAheadMs: 1e12 });
    const started = await h.store.start(A, runs);
    const order = runs.map((run) => started.find(({ triggerId }) => triggerId === run.triggerId)?.jobId);
    expect(order).toEqual(['early', 'high', 'normal', 'low']);
  });

  it('gives nothing while all are paused, and what was missed afterwards', async () => {
    await h.pauseAll(true);
    await h.put('j');
    expect((await claim()).runs).toEqual([]);
    expect((await h.triggerOf('j'))?.state).toBe(1);
    await h.pauseAll(false);
    expect((await claim()).runs).toHaveLength(1);
  });

  it('holds back a schedule that is paused by itself, also one that is claimed or runs already', async () => {
    await h.put('j');
    await h.put('other');
    await h.pause('j', true);
    expect((await h.triggerOf('j'))?.state).toBe(1);
    expect((await claim()).runs).toHaveLength(1);

    await h.pause('j', false);
    const claimed = await claimOne();
    await h.pause('j', true);
    expect(await h.store.start(A, [claimed])).toEqual([]);
    await h.pause('j', false);
    const again = await claimOne();
    expect(again).toMatchObject({ fireAt: claimed.fireAt, attempt: 1 });

    await h.store.start(A, [again]);
    await h.pause('j', true);
    expect(await complete(again, T0)).toBe(true);
    expect((await claim()).runs).toEqual([]);
    await h.pause('j', false);
    expect((await claim()).runs).toMatchObject([{ fireAt: T0 }]);
  });

  it('shows a run without concurrency as blocked, and one with it as normal', async () => {
    await h.put('j');
    expect((await h.triggerOf('j'))?.state).toBe(0);
    const { runs } = await claim();
    expect((await h.triggerOf('j'))?.state).toBe(0);
    await h.store.start(A, runs);
    expect((await h.triggerOf('j'))?.state).toBe(4);
    await h.put('c', { concurrentExecution: true });
    await h.store.start(A, (await claim()).runs);
    expect((await h.triggerOf('c'))?.state).toBe(0);
  });

  it('lets the next firing wait at the completion, and tells what was in its way', async () => {
    await h.put('j');
    const run = await claimOne();
    expect((await claim()).runs).toEqual([]);
    expect(await complete(run, T0)).toBe(true);
    expect(await claimOne()).toMatchObject({
      fireAt: T0,
      cause: { kind: 'blocked', node: 'a', until: expect.stringContaining('T') },
    });
  });

  it('lets the next firing of a concurrent schedule wait while it runs, once', async () => {
    await h.put('j', { concurrentExecution: true });
    const run = await claimOne();
    await h.store.planNext(A, run, T0, []);
    await h.store.planNext(A, run, T0 + 1000, []);
    const next = await claimOne();
    expect(next.fireAt).toBe(T0);
    expect(await complete(run, T0 + 2000)).toBe(true);
    expect((await claim()).runs).toEqual([]);
  });

  it('records what is let pass together with the next firing that waits, once and for its holder only', async () => {
    await h.put('j', { concurrentExecution: true });
    const run = await claimOne();
    const passed = [entry({ ...run, fireAt: run.fireAt + 1 }, 'misfired')];
    await h.store.planNext(B, run, T0, passed);
    expect(await h.ledger()).toEqual([]);
    await h.store.planNext(A, run, T0, passed);
    await h.store.planNext(A, run, T0, [entry(run, 'misfired')]);
    expect(await h.ledger()).toMatchObject([{ outcome: 'misfired' }]);
    expect(await complete(run, null)).toBe(true);
    expect(await h.ledger()).toMatchObject([{ outcome: 'fired' }, { outcome: 'misfired' }]);
  });

  it('completes a run once, for whoever holds it, and many at a time', async () => {
    for (const id of ['a', 'b', 'c']) await h.put(id);
    const { runs } = await claim();
    expect(await complete(runs[0]!, T0, B)).toBe(false);
    expect(await complete(runs[0]!, T0)).toBe(true);
    expect(await complete(runs[0]!, T0)).toBe(false);
    const rest = runs.map((run) => ({ run, next: T0, entries: [entry(run)] }));
    expect((await h.store.complete(A, rest)).size).toBe(2);
    expect((await claim()).runs).toHaveLength(3);
    expect(await h.ledger()).toHaveLength(3);
  });

  it('says how a run ended whose completion was not answered', async () => {
    await h.put('j');
    const run = await claimOne();
    const completion = { run, next: T0, entries: [entry(run)] };
    expect(await h.store.findFate(A, completion)).toBe('open');
    expect(await h.store.findFate(B, completion)).toBe('lost');
  });

  it('fires a schedule by hand as a firing of its own, which does not touch the planned one', async () => {
    const later = Date.now() + 3_600_000;
    await h.put('j', { schedule: '0 0 0 1 1 ?' }, later);
    const key = await h.trigger('j');
    const lost = await claimOne();
    expect(lost).toMatchObject({ ...key, kind: 'manual', nextPlanned: true, cause: ASKED });
    await h.store.release(A, 'b');
    const run = await claimOne();
    expect(run.cause).toMatchObject({ kind: 'released', transaction: ASKED.transaction });
    expect(await complete(run, null)).toBe(true);
    expect(await h.exists('j')).toBe(true);
    expect((await claim({ lookAheadMs: 1e12 })).runs).toHaveLength(1);
  });

  it('fires by hand what is paused or disabled', async () => {
    await h.put('off', { enabled: false });
    await h.put('paused');
    await h.pause('paused', true);
    await h.trigger('off');
    await h.trigger('paused');
    const { runs } = await claim();
    expect(await h.store.start(A, runs)).toHaveLength(2);
    for (const run of runs) await complete(run, null);
    expect([await h.exists('off'), await h.exists('paused')]).toEqual([true, true]);
  });

  it('never lets two runs of a schedule without concurrency be claimed', async () => {
    await h.put('j');
    await h.trigger('j');
    const [first, ...rest] = (await claim()).runs;
    expect(rest).toEqual([]);
    expect((await claim({ holder: h.other })).runs).toEqual([]);
    await h.store.start(A, [first!]);
    await complete(first!, first!.kind === 'manual' ? null : Date.now() + 3_600_000);
    const { runs } = await claim({ lookAheadMs: 1_000 });
    expect(runs).toHaveLength(1);
    expect(runs[0]!.kind).not.toBe(first!.kind);
    expect(runs[0]!.cause).toMatchObject({ kind: 'blocked', node: 'a' });
  });

  it('never lets schedules of the same concurrency key run at once, and tells which one was in the way', async () => {
    const keyed = { concurrencyKey: 'ldap', concurrentExecution: true };
    for (const id of ['one', 'two']) await h.put(id, keyed);
    await h.put('other', { concurrencyKey: 'crm' });
    const first = (await claim()).runs;
    expect(first).toHaveLength(2);
    expect((await claim({ holder: h.other, lookAheadMs: 1_000 })).runs).toEqual([]);
    for (const run of first) await complete(run, null);
    const [waited, ...rest] = (await claim({ holder: h.other, lookAheadMs: 1_000 })).runs;
    expect(rest).toEqual([]);
    expect(waited!.cause).toMatchObject({ kind: 'blocked', schedule: expect.stringMatching(/one|two/) });
  });

  it('gives no more of a service than there is room for, however much of it is due', async () => {
    for (let n = 0; n < 5; n++) await h.put(`busy${n}`, { invokeService: 'busy' });
    await h.put('free', { priority: 1 });
    const serviceRoom = new Map([['svc.service.busy', 2]]);
    const { runs } = await claim({ serviceRoom });
    expect(runs).toHaveLength(3);
    expect(runs.map(({ limitedService }) => limitedService ?? 'free').sort()).toEqual([
      'free',
      'svc.service.busy',
      'svc.service.busy',
    ]);
    expect((await claim({ serviceRoom: new Map([['svc.service.busy', 0]]) })).runs).toEqual([]);
    expect((await claim()).runs).toHaveLength(3);
  });

  it('gives back what its holder has not executed, though it was started with its claim', async () => {
    for (const id of ['executed', 'started', 'claimed']) await h.put(id);
    const { runs } = await claim();
    const [executed, started, claimed] = [runs[0]!, runs[1]!, runs[2]!];
    await h.store.start(A, [executed, started]);
    expect(await h.store.handBack(A, { except: runs })).toBe(0);
    expect(await h.store.handBack(A, { only: [claimed] })).toBe(1);
    expect(await h.store.handBack(A, { except: [executed] })).toBe(1);
    const again = (await claim({ holder: h.other })).runs;
    expect(again.map(({ triggerId, attempt }) => [triggerId, attempt]).toSorted()).toEqual(
      [started, claimed].map(({ triggerId }) => [triggerId, 1]).toSorted(),
    );
    expect(await complete(executed, null)).toBe(true);
  });

  it('gives back what a holder lost, counts only what had started, and refuses its late completion', async () => {
    await h.put('j');
    await claim();
    expect(await h.store.release(A, 'b')).toEqual({ released: 1, parked: [] });
    const run = await claimOne();
    expect(run.attempt).toBe(1);
    await h.store.start(A, [run]);
    await h.store.release(A, 'b', { only: run });
    const again = await claimOne(h.other);
    expect(again).toMatchObject({ fireAt: run.fireAt, attempt: 2, cause: { kind: 'released' } });
    expect(again.lateFrom).toBeGreaterThan(run.fireAt);
    expect(await complete(run, T0)).toBe(false);
    expect(await complete(again, T0, h.other)).toBe(true);
  });

  it('does not do a run outside a unit of work again, unless its schedule is recoverable', async () => {
    await h.put('lost', { transactional: false });
    await h.put('again', { transactional: false, recoverable: true });
    const { runs } = await claim();
    await h.store.start(A, runs);
    await h.store.release(A, 'b');
    const released = await h.store.start(A, (await claim()).runs);
    const kinds = Object.fromEntries(released.map((run) => [run.jobId, run.kind]));
    expect(kinds).toEqual({ lost: 'lost', again: 'planned' });
  });

  it('parks a schedule whose run was lost three times, the last time alone, until it is resumed', async () => {
    await h.put('j');
    for (let attempt = 1; attempt <= 3; attempt++) {
      const run = await claimOne();
      await h.store.start(A, [run]);
      const alone = attempt === 3 ? subjectOf(run) : null;
      const { parked } = await h.store.release(A, 'b', { alone });
      expect(parked).toEqual(attempt < 3 ? [] : [{ jobId: 'j', attempts: 3 }]);
    }
    expect((await claim()).runs).toEqual([]);
    expect((await h.triggerOf('j'))?.state).toBe(3);
    expect(await h.ledger()).toMatchObject([{ outcome: 'lost', why: expect.stringMatching(/3 times/) }]);
    await h.pause('j', false);
    expect((await h.triggerOf('j'))?.state).not.toBe(3);
  });

  it('parks no run that was in company each time, until it is ten times', async () => {
    await h.put('j');
    for (let attempt = 1; attempt <= 10; attempt++) {
      const run = await claimOne();
      await h.store.start(A, [run]);
      const other = subjectOf({ ...run, fireAt: run.fireAt + 1 });
      const { parked } = await h.store.release(A, 'b', { alone: other });
      expect(parked).toEqual(attempt < 10 ? [] : [{ jobId: 'j', attempts: 10 }]);
    }
    expect((await h.triggerOf('j'))?.state).toBe(3);
  });

  it('does not park a run that others interrupted, until it is ten times', async () => {
    await h.put('j');
    for (let attempt = 1; attempt <= 10; attempt++) {
      const run = await claimOne();
      expect(run.attempt).toBe(attempt);
      await h.store.start(A, [run]);
      const { parked } = await h.store.release(A, 'b', { isSuspect: false });
      expect(parked).toEqual(attempt < 10 ? [] : [{ jobId: 'j', attempts: 10 }]);
    }
    expect((await h.triggerOf('j'))?.state).toBe(3);
  });

  it('keeps what waits through an edit that does not change times, and drops it otherwise', async () => {
    await h.put('j');
    await h.put('j', { invokeContext: { input: 1 } }, T0 + 9_000);
    const run = await claimOne();
    expect(run.fireAt).toBe(T0 - 1000);
    await h.put('j', { schedule: '0 0 0 1 1 ?' }, Date.now());
    expect(await h.store.start(A, [run])).toEqual([]);
    expect((await claim()).runs).toEqual([]);
  });

  const times = async () =>
    (await h.ledger()).map(({ outcome, plannedAt, why }) => [outcome, plannedAt - T0, why]);
  const SECOND = 1000;

  it('records the times that had come before a schedule was edited or deleted, and will not fire any more', async () => {
    await h.put('j', {}, T0);
    const edited = 'the schedule was edited before it could fire';
    await h.put('j', { schedule: '0 0 0 1 1 ?' }, T0 + 2_500);
    expect(await times()).toEqual([0, 1, 2].map((n) => ['skipped', n * SECOND, edited]));
    await h.remove('j', T0 + 9_000);
    expect(await times()).toHaveLength(3);
  });

  it('records them also where they were claimed, or waited for a run that goes on', async () => {
    await h.put('j', {}, T0);
    const run = await claimOne();
    await h.store.start(A, [run]);
    const deleted = 'the schedule was deleted before it could fire';
    await h.remove('j', T0 + 2_500);
    expect(await times()).toEqual([1, 2].map((n) => ['skipped', n * SECOND, deleted]));
    await complete(run, T0 + SECOND);
    expect(await times()).toHaveLength(3);

    await h.put('k', {}, T0 + 60_000);
    const claimed = await claimOne();
    await h.remove('k', T0 + 60_000);
    expect(await times()).toContainEqual(['skipped', 60_000, deleted]);
    expect(await h.store.start(A, [claimed])).toEqual([]);
  });

  it('records a time that was claimed when its schedule was parked for another run', async () => {
    await h.put('j', { concurrentExecution: true }, T0);
    const first = await claimOne();
    await h.store.start(A, [first]);
    await h.store.planNext(A, first, T0 + SECOND, []);
    const second = await claimOne();
    for (let attempt = 1; attempt <= 10; attempt++) {
      const [run] = attempt === 1 ? [first] : (await claim()).runs;
      await h.store.start(A, [run!]);
      await h.store.release(A, 'b', { only: run!, isSuspect: false });
    }
    expect((await h.triggerOf('j'))?.state).toBe(3);
    expect(await h.store.start(A, [second])).toEqual([]);
    expect((await times()).map(([outcome, at]) => [outcome, at])).toEqual([
      ['lost', 0],
      ['skipped', 1_000],
    ]);
  });

  it('records none that has a run of its own', async () => {
    await h.put('j', { concurrentExecution: true }, T0);
    const first = await claimOne();
    await h.store.start(A, [first]);
    await h.store.planNext(A, first, T0 + SECOND, []);
    const second = await claimOne();
    await h.store.start(A, [second]);
    await h.remove('j', T0 + 2_500);
    expect((await times()).map(([, at]) => at)).toEqual([2_000]);
    for (const run of [first, second]) await complete(run, null);
    expect((await times()).map(([outcome]) => outcome)).toEqual(['fired', 'fired', 'skipped']);
  });

  it('records what a parked schedule let pass, when it goes on', async () => {
    const start = Date.now() - 3_000;
    await h.put('j', {}, start);
    const parked = async () => {
      const { runs } = await claim();
      await h.store.start(A, runs);
      const alone = runs[0] === undefined ? null : subjectOf(runs[0]);
      return (await h.store.release(A, 'b', { alone })).parked;
    };
    await eventually(parked, ({ length }) => length > 0);
    const before = await h.ledger();
    expect(before).toMatchObject([{ outcome: 'lost' }]);
    await h.put('j', { schedule: '0 0 0 1 1 ?' }, Date.now());
    const [lost, ...passed] = await h.ledger();
    expect(passed.length).toBeGreaterThanOrEqual(2);
    for (const [n, { outcome, plannedAt, why }] of passed.entries()) {
      expect([outcome, plannedAt]).toEqual(['skipped', lost!.plannedAt + (n + 1) * SECOND]);
      expect(why).toMatch(/parked/);
    }
  });

  it('lets a started run go on when its schedule is removed, and plans nothing after it', async () => {
    await h.put('j');
    const run = await claimOne();
    await h.store.start(A, [run]);
    await h.remove('j');
    await complete(run, T0);
    expect((await claim()).runs).toEqual([]);
    expect(await h.exists('j')).toBe(false);
  });

  it('records a run that is lost after its schedule was edited or deleted', async () => {
    await h.put('edited', {}, T0);
    await h.put('deleted', {}, T0);
    const { runs } = await claim();
    await h.store.start(A, runs);
    await h.put('edited', { schedule: '0 0 0 1 1 ?' }, T0);
    await h.remove('deleted', T0);
    await h.store.release(A, 'b');
    const lost = (await h.ledger()).map(({ outcome, plannedAt, why }) => [outcome, plannedAt - T0, why]);
    expect(lost.toSorted()).toEqual(
      ['deleted', 'edited'].map((was) => [
        'lost',
        0,
        `node a was lost while it ran, and the schedule had been ${was} meanwhile`,
      ]),
    );
    expect((await claim()).runs).toEqual([]);
  });

  it('calls lost what was only to be recorded as lost, also when its schedule was parked meanwhile', async () => {
    await h.put('j', { concurrentExecution: true, transactional: false }, T0);
    const first = await claimOne();
    await h.store.start(A, [first]);
    await h.store.planNext(A, first, T0 + SECOND, []);
    await h.store.release(A, 'b', { only: first });
    await h.put('j', { concurrentExecution: true }, T0);
    const { runs } = await claim();
    const lost = runs.find(({ kind }) => kind === 'lost')!;
    const second = runs.find(({ kind }) => kind === 'planned')!;
    for (let attempt = 1; attempt <= 10; attempt++) {
      const [run] = attempt === 1 ? [second] : (await claim()).runs;
      await h.store.start(A, [run!]);
      await h.store.release(A, 'b', { only: run!, isSuspect: false });
    }
    expect(await h.store.start(A, [lost])).toEqual([]);
    expect((await times()).slice(0, 1)).toEqual([
      ['lost', 0, 'the schedule was parked before it could fire'],
    ]);
  });

  it('lets what comes after a run compete as its schedule was edited while it ran', async () => {
    await h.put('j', {}, T0);
    const run = await claimOne();
    await h.store.start(A, [run]);
    await h.put('j', { concurrencyKey: 'ledger' }, T0);
    await complete(run, T0 + SECOND);
    await h.put('k', { concurrencyKey: 'ledger' }, T0 + 5 * SECOND);
    expect((await claim()).runs).toHaveLength(1);
  });

  it('forgets a schedule after its last firing', async () => {
    await h.put('j', { type: 'simple', startTime: '2020-01-01T00:00:00' });
    expect(await complete(await claimOne(), null)).toBe(true);
    expect(await h.exists('j')).toBe(false);
  });

  it('has no trigger for a disabled schedule', async () => {
    await h.put('j', { enabled: false });
    expect((await claim()).runs).toEqual([]);
    expect(await h.triggerOf('j')).toBeUndefined();
  });
});
