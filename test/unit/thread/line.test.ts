import { getEventListeners } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BadRequestError, ServiceUnavailableError } from '#errors/index.ts';
import { distantThreads, serveScriptWork } from '#script/distant-threads.ts';
import { type ScriptWork, workKind } from '#script/index.ts';
import { type Line, news, openLine, question } from '#thread/line.ts';

const DOUBLE = question<number, number>('double');
const SLOW = question<null, string>('slow');
const WORD = news<string>('word');

describe('a line between two threads', () => {
  let here: Line;
  let there: Line;
  let end: () => void;
  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    here = openLine(port1);
    there = openLine(port2);
    end = () => port1.close();
  });
  afterEach(() => end());

  it('brings questions to either end, and their answers back', async () => {
    here.answer(DOUBLE, (number) => 2 * number);
    there.answer(DOUBLE, async (number) => 20 * number);
    expect(await Promise.all([here.ask(DOUBLE, 1), there.ask(DOUBLE, 2)])).toEqual([20, 4]);
  });

  it('keeps the order of what is told and asked', async () => {
    const said: string[] = [];
    there.hear(WORD, (word) => void said.push(word));
    there.answer(DOUBLE, (number) => {
      said.push(String(number));
      return 0;
    });
    here.tell(WORD, 'one');
    const asked = here.ask(DOUBLE, 2);
    here.tell(WORD, 'three');
    await asked;
    await here.ask(DOUBLE, 4);
    expect(said).toEqual(['one', '2', 'three', '4']);
  });

  it('brings errors as what they are, with their causes, over any number of threads', async () => {
    const cause = new Error('the disk is full');
    there.answer(SLOW, () => {
      throw new BadRequestError('Not so', { id: 'MADE_UP', hint: 'Do otherwise', cause });
    });
    here.answer(SLOW, () => here.ask(SLOW, null));
    await expect(there.ask(SLOW, null)).rejects.toMatchObject({
      code: 400,
      detail: { id: 'MADE_UP', hint: 'Do otherwise' },
      cause: { stack: cause.stack },
    });
  });

  it('says that an answer could not be sent', async () => {
    const unsendable = question<null, () => void>('unsendable');
    there.answer(unsendable, () => () => {});
    await expect(here.ask(unsendable, null)).rejects.toMatchObject({ code: 500 });
    await expect(here.ask(question<() => void, null>('double'), () => {})).rejects.toThrow(
      'could not be cloned',
    );
  });

  it('tells who answers that nobody waits any more, and listens no longer than it takes', async () => {
    there.answer(SLOW, (_, signal) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      signal.addEventListener('abort', () => resolve(`ended: ${signal.reason.message}`));
      return promise;
    });
    const leaving = new AbortController();
    const [asked, late] = [
      here.ask(SLOW, null, leaving.signal),
      here.ask(SLOW, null, AbortSignal.abort('late')),
    ];
    leaving.abort('left');
    expect(await Promise.all([asked, late])).toEqual(['ended: left', 'ended: late']);
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  });

  it('that is closed fails what was asked, and ends what the other end has asked for', async () => {
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    here.answer(SLOW, (_, signal) => {
      signal.addEventListener('abort', () => ended.resolve());
      begun.resolve();
      return new Promise<string>(() => {});
    });
    there.answer(SLOW, () => new Promise<string>(() => {}));
    const asked = here.ask(SLOW, null);
    void there.ask(SLOW, null);
    await begun.promise;
    here.close(() => new ServiceUnavailableError('It is gone'));
    await expect(asked).rejects.toThrow('It is gone');
    await expect(here.ask(SLOW, null)).rejects.toThrow('It is gone');
    await ended.promise;
  });

  it('lets whoever works for another thread ask whom it is for, while it works', async () => {
    const people = ['kim', 'nobody'];
    const threads: ScriptWork = {
      async run({ renew }) {
        const asked = await Promise.allSettled([renew?.(), renew?.()]);
        return asked as never;
      },
    };
    serveScriptWork(here, threads, async () => {});
    const renew = async () => {
      const person = people.shift();
      if (person === 'nobody') throw new ServiceUnavailableError('Nobody any more');
      return person;
    };
    const answer = await distantThreads(there).run({
      kind: workKind<null, PromiseSettledResult<unknown>[]>('any'),
      payload: null,
      repeatable: true,
      renew,
    });
    expect(answer).toMatchObject([
      { status: 'fulfilled', value: 'kim' },
      { status: 'rejected', reason: { message: 'Nobody any more' } },
    ]);
  });

  it('answers work only when what it has changed holds in the thread that asked', async () => {
    const order: string[] = [];
    const threads: ScriptWork = { run: async () => void order.push('done') as never };
    serveScriptWork(here, threads, async () => void order.push('settled'));
    await distantThreads(there).run({ kind: workKind<null, null>('any'), payload: null, repeatable: false });
    expect(order).toEqual(['done', 'settled']);
  });
});
