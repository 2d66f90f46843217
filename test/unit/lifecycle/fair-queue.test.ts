import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/lifecycle/index.ts';

const refused = new Error('no room');

/** A queue whose work ends when it is told to, and the order in which that began. */
function open(mostWaiting = { urgent: 4, other: 4 }, atOnce = 1) {
  const queue = new FairQueue({ atOnce, mostWaiting, refuse: () => refused });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const outcomes: Promise<string>[] = [];
  const add = (name: string, caller: string, urgent = false) => {
    const outcome = queue
      .run(caller, urgent, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      })
      .catch((error: Error) => `${name}: ${error.message}`);
    outcomes.push(outcome);
    return outcome;
  };
  const endAll = async () => {
    while (ends.length > 0) {
      ends.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return Promise.all(outcomes);
  };
  return { queue, begun, add, endAll };
}

describe('a fair queue', () => {
  it('lets callers take turns, however many each of them has waiting', async () => {
    const { add, begun, endAll } = open();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) add(name, name[0]!);
    await endAll();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('works on so much at once, and no more', async () => {
    const { add, begun, queue, endAll } = open({ urgent: 4, other: 4 }, 2);
    for (const name of ['a1', 'a2', 'b1']) add(name, name[0]!);
    expect([begun, queue.waiting]).toEqual([['a1', 'a2'], 1]);
    await endAll();
    expect([begun, queue.waiting]).toEqual([['a1', 'a2', 'b1'], 0]);
  });

  it('takes what is urgent first, and never for ever', async () => {
    const { add, begun, endAll } = open({ urgent: 9, other: 9 });
    add('first', 'x');
    add('other', 'x');
    for (let at = 1; at <= 5; at += 1) add(`urgent${at}`, `u${at}`, true);
    await endAll();
    expect(begun).toEqual(['first', 'urgent1', 'urgent2', 'urgent3', 'other', 'urgent4', 'urgent5']);
  });

  it('refuses at once when there is no room, and whoever has most waiting gives way to others', async () => {
    const { add, queue, endAll } = open();
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) add(name, 'a');
    expect([queue.hasRoom('a', false), queue.hasRoom('b', false), queue.hasRoom('a', true)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await add('a5', 'a')).toBe('a5: no room');
    add('b1', 'b');
    expect(await endAll()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4: no room', 'a5: no room', 'b1']);
  });

  it('goes on after work that fails', async () => {
    const { queue } = open();
    const failing = queue.run('a', false, () => Promise.reject(new Error('no')));
    const next = queue.run('a', false, async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
