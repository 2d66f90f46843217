import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Quarantine } from '#lifecycle/index.ts';
import type { Claimed, Kind } from '#work/index.ts';
import { Desk } from '../../../src/work/desk.ts';

describe('a kind of work on a node', () => {
  let units: (readonly Claimed[])[];
  let ends: (() => void)[];
  let doubted: number;
  let leaves: (() => void)[];
  let weightOf: (work: Claimed) => number;
  let start: (works: readonly Claimed[]) => Promise<readonly Claimed[]>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'] });
    units = [];
    ends = [];
    doubted = 0;
    leaves = [];
    weightOf = () => 0;
    start = async (works) => works;
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  function openDesk(kind: Partial<Kind> = {}) {
    return new Desk<Claimed>({
      kind: { name: 'work', seats: 2, together: 1, collectMs: 15, ...kind },
      clock: { now: () => Date.now() },
      quarantine: new Quarantine(),
      execute(unit, leaveSeat) {
        units.push(unit);
        leaves.push(leaveSeat);
        return new Promise((resolve) => ends.push(() => resolve(true)));
      },
      weightOf: (work) => weightOf(work),
      start: (works) => start(works),
      tryAlone: async () => true,
      freed: () => {},
      isWorking: () => true,
      doubted: () => {
        doubted += 1;
      },
    });
  }
  let last = 0;
  const due = (inMs: number, more: Partial<Claimed> = {}): Claimed => ({
    id: String(++last),
    claim: 1,
    dueAt: Date.now() + inMs,
    priority: 0,
    lostWith: [],
    suspected: 0,
    ...more,
  });
  const executed = () => units.map((unit) => unit.map(({ id }) => id));

  it('starts what was claimed ahead at its very millisecond, without a look at the database', async () => {
    const desk = openDesk();
    const [soon, later] = [due(40), due(300)];
    desk.take([soon, later]);
    await vi.advanceTimersByTimeAsync(39);
    expect(executed()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(executed()).toEqual([[soon.id]]);
    await vi.advanceTimersByTimeAsync(260);
    expect(executed()).toEqual([[soon.id], [later.id]]);
  });

  it('asks for as much as half of its free seats hold, and for nothing while it has none', async () => {
    const desk = openDesk({ seats: 4, together: 8 });
    expect(desk.ask()).toMatchObject({ most: 16, lookAheadMs: 500 });
    desk.take(Array.from({ length: 64 }, () => due(0)));
    await vi.advanceTimersByTimeAsync(20);
    expect(units.map((unit) => unit.length)).toEqual([8, 8, 8, 8]);
    expect(desk.ask()).toBeUndefined();
    for (const end of ends.splice(0)) end();
    await vi.advanceTimersByTimeAsync(20);
    expect(units).toHaveLength(8);
  });

  it('fills its last seat with as much as one unit holds', async () => {
    const desk = openDesk({ seats: 2, together: 32 });
    desk.take([due(0)]);
    await vi.advanceTimersByTimeAsync(1);
    desk.take(Array.from({ length: 40 }, () => due(0)));
    await vi.advanceTimersByTimeAsync(20);
    expect(units.map((unit) => unit.length)).toEqual([1, 32]);
  });

  it('claims ahead no more than it has seats for, and goes on with what is due', () => {
    const desk = openDesk({ seats: 2, together: 4 });
    desk.take(Array.from({ length: 8 }, () => due(400)));
    expect(desk.ask()).toMatchObject({ lookAheadMs: 0, most: 4 });
  });

  it('looks a transaction’s length behind the earliest of what it saw, and behind everything when it is told to', () => {
    const desk = openDesk();
    const [one, other] = [due(400), due(100)];
    desk.take([one, other]);
    expect(desk.ask()!.since).toBe(other.dueAt - 5_000);
    desk.lookBehind();
    expect(desk.ask()!.since).toBeLessThan(0);
  });

  it('collects what comes while something runs, and starts the first at once', async () => {
    const desk = openDesk({ seats: 4, together: 32 });
    desk.take(Array.from({ length: 12 }, (_, n) => due(n)));
    await vi.advanceTimersByTimeAsync(1);
    expect(units.map((unit) => unit.length)).toEqual([1]);
    await vi.advanceTimersByTimeAsync(30);
    expect(units.flat()).toHaveLength(12);
    expect(units.length).toBeLessThan(4);
  });

  it('gives up for others what finds no seat for half a second', async () => {
    const desk = openDesk({ seats: 1 });
    const [first, second, third] = [due(0), due(0), due(900)];
    desk.take([first, second, third]);
    await vi.advanceTimersByTimeAsync(500);
    expect(desk.clearStuck()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.clearStuck()).toEqual([second]);
    expect(desk.held).toEqual([first, third]);
  });

  it('does not start what it claimed two seconds ago: the node may have hung, and another may have it', async () => {
    const desk = openDesk({ seats: 1 });
    const [first, second] = [due(0), due(400)];
    desk.take([first]);
    await vi.advanceTimersByTimeAsync(1);
    desk.take([second]);
    await vi.advanceTimersByTimeAsync(2_100);
    ends[0]!();
    await vi.advanceTimersByTimeAsync(1);
    expect(executed()).toEqual([[first.id]]);
    expect(doubted).toBe(1);
    expect(desk.held).toEqual([]);
  });

  it('starts the more important first among what is ready', async () => {
    const desk = openDesk({ seats: 1 });
    const [running, usual, urgent] = [due(0), due(0), due(0, { priority: 3 })];
    desk.take([running]);
    await vi.advanceTimersByTimeAsync(1);
    desk.take([usual, urgent]);
    for (let n = 0; n < 2; n++) {
      ends[n]!();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(executed()).toEqual([[running.id], [urgent.id], [usual.id]]);
  });

  it('begins the next one as soon as all that is left of the one before is to be committed', async () => {
    const desk = openDesk({ seats: 1 });
    const [first, second] = [due(0), due(0)];
    desk.take([first, second]);
    await vi.advanceTimersByTimeAsync(1);
    expect(executed()).toEqual([[first.id]]);
    leaves[0]!();
    await vi.advanceTimersByTimeAsync(1);
    expect(executed()).toEqual([[first.id], [second.id]]);
    expect(desk.active).toBe(2);
    for (const end of ends) end();
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.active).toBe(0);
  });

  it('puts no more together than a unit can bear, and what fills one goes alone', async () => {
    const heavy = due(0);
    weightOf = (work) => (work === heavy ? 1 : 0.25);
    const desk = openDesk({ seats: 8, together: 32 });
    desk.take([heavy, ...Array.from({ length: 10 }, () => due(0))]);
    await vi.advanceTimersByTimeAsync(1);
    expect(units.map((unit) => unit.length)).toEqual([1, 4, 4, 2]);
    expect(units[0]).toEqual([heavy]);
  });

  it('claims of what may be long no more than it has seats for, and as much as it started of late', async () => {
    const desk = openDesk({ seats: 4, together: 32, mayBeLong: true });
    expect(desk.ask()!.most).toBe(2);
    desk.take(Array.from({ length: 40 }, () => due(0)));
    await vi.advanceTimersByTimeAsync(1);
    for (let n = 0; n < 8; n++) {
      for (const end of ends.splice(0)) end();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(units.flat()).toHaveLength(40);
    // Half of the seats, each for what it started in half a second.
    expect(desk.ask()!.most).toBe(2 * 5);
  });

  it('executes at once what was started with its claim, and keeps seats free for that', async () => {
    const desk = openDesk({ seats: 2, startsClaimed: true });
    expect(desk.ask()).toMatchObject({ most: 1, startMost: 1 });
    const begun = due(0, { isStarted: true });
    desk.take([begun]);
    expect(executed()).toEqual([[begun.id]]);
    expect(desk.ask()).toMatchObject({ most: 1, startMost: 1 });
  });

  it('looks far back from time to time, and otherwise only as far as a commit takes', async () => {
    const desk = openDesk({ seats: 8 });
    const work = due(0);
    desk.take([work]);
    expect(desk.ask()!.since).toBe(work.dueAt - 5_000);
    expect(desk.ask()!.since).toBe(work.dueAt - 250);
    desk.lookFar();
    expect(desk.ask()!.since).toBe(work.dueAt - 5_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(desk.ask()!.since).toBe(work.dueAt - 5_000);
  });

  describe('that is started ahead of its time', () => {
    let starts: (readonly Claimed[])[];

    beforeEach(() => {
      starts = [];
      start = async (works) => {
        starts.push(works);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return works;
      };
    });
    const startsAhead = { seats: 8, together: 32, startsAhead: true };

    it('is started with what is due soon after, and executed each at its very millisecond', async () => {
      const desk = openDesk(startsAhead);
      const [one, other, later] = [due(40), due(43), due(60)];
      desk.take([one, other, later]);
      await vi.advanceTimersByTimeAsync(39);
      expect(starts).toEqual([[one, other]]);
      expect(executed()).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(executed()).toEqual([[one.id]]);
      await vi.advanceTimersByTimeAsync(3);
      expect(executed()).toEqual([[one.id], [other.id]]);
      await vi.advanceTimersByTimeAsync(17);
      expect(starts).toEqual([[one, other], [later]]);
      expect(executed()).toEqual([[one.id], [other.id], [later.id]]);
    });

    it('goes together with what is due in the same millisecond', async () => {
      const desk = openDesk(startsAhead);
      desk.take([...Array.from({ length: 32 }, () => due(40)), due(42)]);
      await vi.advanceTimersByTimeAsync(40);
      expect(units.map((unit) => unit.length)).toEqual([16, 16]);
      await vi.advanceTimersByTimeAsync(2);
      expect(units).toHaveLength(3);
    });

    it('does not wait for that when it is late', async () => {
      const desk = openDesk(startsAhead);
      const [late, soon] = [due(-5), due(7)];
      desk.take([soon, late]);
      await vi.advanceTimersByTimeAsync(3);
      expect(starts[0]).toContain(late);
      expect(executed()).toEqual([[late.id]]);
    });

    it('is started again when its node was held up meanwhile', async () => {
      const desk = openDesk(startsAhead);
      const work = due(40);
      desk.take([work]);
      await vi.advanceTimersByTimeAsync(39);
      expect(starts).toHaveLength(1);
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 30);
      await vi.advanceTimersByTimeAsync(1);
      expect(executed()).toEqual([]);
      await vi.advanceTimersByTimeAsync(5);
      expect(starts).toEqual([[work], [work]]);
      expect(executed()).toEqual([[work.id]]);
    });
  });
});
