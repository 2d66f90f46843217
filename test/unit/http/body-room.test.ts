import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../../../src/http/body-room.ts';

/** Room for eight of the largest bodies, two of them of one caller. */
function open(mostWaiting?: number) {
  const room = new BodyRoom(100, { mostBytes: 800, share: 0.25, ...(mostWaiting && { mostWaiting }) });
  const entered: string[] = [];
  const enter = async (caller: string, bytes = 100) => {
    const place = await room.enter(caller, bytes, () => undefined);
    entered.push(caller);
    return place;
  };
  return { room, entered, enter };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the room for bodies', () => {
  it('has a share for each caller, and lets the others pass who wait behind', async () => {
    const { room, entered, enter } = open();
    const own = await Promise.all([enter('mallory'), enter('mallory')]);
    void enter('mallory');
    await enter('alice');
    expect(entered).toEqual(['mallory', 'mallory', 'alice']);
    own[0]!.leave();
    await settled();
    expect(entered).toEqual(['mallory', 'mallory', 'alice', 'mallory']);
    expect(room.total).toBe(300);
  });

  it('is taken by what a body has turned out to be', async () => {
    const { room, entered, enter } = open();
    const places = await Promise.all([enter('mallory'), enter('mallory')]);
    void enter('mallory');
    for (const place of places) await place.narrow(10);
    await settled();
    expect(entered).toHaveLength(3);
    for (const place of places) place.leave();
    expect(room.total).toBe(100);
  });

  it('is given to callers in turn when all of it is taken', async () => {
    const { entered, enter } = open();
    const places = [];
    for (const caller of ['a', 'b', 'c', 'd']) places.push(await enter(caller), await enter(caller));
    for (const caller of ['mallory', 'mallory', 'alice']) void enter(caller);
    for (const place of places.slice(0, 2)) place.leave();
    await settled();
    expect(entered.slice(8)).toEqual(['mallory', 'alice']);
  });

  it('refuses whoever has most waiting when too many wait', async () => {
    const { enter } = open(3);
    await Promise.all([enter('mallory'), enter('mallory'), enter('alice'), enter('alice')]);
    const flood = [enter('mallory'), enter('mallory'), enter('mallory')];
    void enter('alice');
    await expect(flood[2]).rejects.toMatchObject({ code: 429, detail: { id: 'HTTP_BODIES_CROWDED' } });
  });

  it('takes a body of any caller who has none, however large it may be', async () => {
    const room = new BodyRoom(1_000, { mostBytes: 800, share: 0.25 });
    const place = await room.enter('alice', 1_000, () => undefined);
    expect(room.total).toBe(1_000);
    place.leave();
    expect(room.total).toBe(0);
  });

  it('has long bodies read one at a time', async () => {
    const room = new BodyRoom(1_000_000, { mostBytes: 8_000_000, share: 1 });
    const places = await Promise.all([
      room.enter('a', 1_000_000, () => undefined),
      room.enter('b', 1_000_000, () => undefined),
    ]);
    const read: string[] = [];
    const [first, second] = places.map((place, at) =>
      place.narrow(900_000).then(() => void read.push('ab'[at]!)),
    );
    await first;
    expect(read).toEqual(['a']);
    await second;
    expect(read).toEqual(['a', 'b']);
  });

  it('is taken from the slowest bodies when others wait for it, and from no more of them', async () => {
    const room = new BodyRoom(100, { mostBytes: 300, share: 0.25, pace: 50_000, lookMs: 5 });
    const givenUp: string[] = [];
    const enter = (caller: string) => room.enter(caller, 100, () => givenUp.push(caller));
    const places = [await enter('slow'), await enter('slower'), await enter('read')];
    places[0]!.arrived(1);
    await places[2]!.narrow(90);
    await enter('alice');
    expect(givenUp).toEqual(['slower']);
    const next = [enter('bob'), enter('carol')];
    await Promise.race(next);
    expect(givenUp.slice(1)).not.toContain('read');
  });

  it('is not taken from what has come in whole and is being unpacked', async () => {
    const room = new BodyRoom(100, { mostBytes: 200, share: 0.25, pace: 50_000, lookMs: 1 });
    const givenUp: string[] = [];
    const enter = (caller: string) => room.enter(caller, 100, () => givenUp.push(caller));
    const packed = await enter('packed');
    await enter('slow');
    packed.arrived(1);
    packed.whole();
    await enter('next');
    expect(givenUp).toEqual(['slow']);
    const last = enter('last');
    await Promise.race([last, enter('packed')]);
    expect(givenUp).toEqual(['slow', 'next']);
    expect(room.total).toBe(200);
  });

  it('is left to slow bodies as long as nobody waits', async () => {
    const room = new BodyRoom(100, { mostBytes: 200, share: 0.25, pace: 50_000, lookMs: 1 });
    const givenUp: string[] = [];
    const enter = (caller: string) => room.enter(caller, 100, () => givenUp.push(caller));
    const slow = await enter('slow');
    const other = await enter('other');
    const third = enter('third');
    other.leave();
    await third;
    expect([...givenUp, room.total]).toEqual([200]);
    slow.leave();
  });
});
