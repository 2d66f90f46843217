import { describe, expect, it } from 'vitest';
import { Quarantine } from '#lifecycle/index.ts';

const LONG_MS = 600_000;

describe('quarantine', () => {
  /** Something that is done alone, with what is said on the way. */
  function work(quarantine: Quarantine, said: string[], name: string) {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const done = quarantine.alone({
      subject: name,
      isWanted: () => name !== 'unwanted',
      async run(isAlone) {
        said.push(`${name} ${isAlone ? 'alone' : 'in company'}`);
        const ended = quarantine.begin();
        begun.resolve();
        await end.promise;
        ended();
      },
    });
    return { begun: begun.promise, end: end.resolve, done };
  }

  it('begins when all else has ended, lets nothing begin meanwhile, and says when that may go on', async () => {
    const quarantine = new Quarantine({ patienceMs: LONG_MS, limitMs: LONG_MS });
    const said: string[] = [];
    const opened = Promise.withResolvers<void>();
    quarantine.onOpen(() => {
      said.push('open');
      opened.resolve();
    });
    const others = [quarantine.begin(), quarantine.begin()];
    const { begun, end, done } = work(quarantine, said, 'suspect');
    await Promise.resolve();
    expect(quarantine.isOpen).toBe(false);
    for (const ended of others) ended();
    await begun;
    expect(quarantine.isOpen).toBe(false);
    end();
    await Promise.all([done, opened.promise]);
    expect(quarantine.isOpen).toBe(true);
    expect(said).toEqual(['suspect alone', 'open']);
  });

  it('is for one at a time, and skips what is not wanted any more', async () => {
    const quarantine = new Quarantine({ patienceMs: LONG_MS, limitMs: LONG_MS });
    const said: string[] = [];
    const all = ['one', 'unwanted', 'two'].map((name) => work(quarantine, said, name));
    await all[0]!.begun;
    all[0]!.end();
    await all[2]!.begun;
    all[2]!.end();
    await Promise.all(all.map(({ done }) => done));
    expect(said).toEqual(['one alone', 'two alone']);
  });

  it('is not waited for without end, and not kept by what takes long', async () => {
    const impatient = new Quarantine({ patienceMs: 1, limitMs: LONG_MS });
    const said: string[] = [];
    impatient.begin();
    const beside = work(impatient, said, 'beside');
    await beside.begun;
    expect(impatient.isOpen).toBe(true);
    beside.end();
    await beside.done;
    expect(said).toEqual(['beside in company']);

    const short: Quarantine = new Quarantine({
      patienceMs: LONG_MS,
      limitMs: 1,
      mark: async (subject) => void said.push(`${subject} while ${short.isOpen ? 'open' : 'closed'}`),
    });
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    short.onOpen(resolve);
    const slow = work(short, said, 'slow');
    await opened;
    slow.end();
    await slow.done;
    expect(said.slice(1)).toEqual(['slow while closed', 'slow alone', 'null while closed']);
  });
});
