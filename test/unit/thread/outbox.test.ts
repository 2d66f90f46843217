import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Observation } from '#observability/index.ts';
import { Outbox } from '#thread/index.ts';

const said = (thread: number): Observation => ({ kind: 'script.threadStarted', thread });

describe('an outbox', () => {
  function open() {
    const sent: unknown[] = [];
    const outbox = new Outbox({ postMessage: (message) => void sent.push(message) }, (told) => told);
    return { sent, outbox };
  }

  it('sends what was observed in a turn of the loop as one message, when the turn ends', async () => {
    const { sent, outbox } = open();
    for (const thread of [1, 2, 3]) outbox.observe(said(thread));
    await Promise.resolve();
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual([[said(1), said(2), said(3)]]);
    await turn();
    expect(sent).toHaveLength(1);
  });

  it('keeps the order: what was observed before something else is sent arrives before it', async () => {
    const { sent, outbox } = open();
    outbox.observe(said(1));
    outbox.postMessage('done');
    outbox.observe(said(2));
    await turn();
    expect(sent).toEqual([[said(1)], 'done', [said(2)]]);
  });

  it('lets no more wait than 500, however long a turn takes', () => {
    const { sent, outbox } = open();
    for (let thread = 1; thread <= 1_200; thread += 1) outbox.observe(said(thread));
    expect(sent.map((told) => (told as unknown[]).length)).toEqual([500, 500]);
  });

  it('sends errors that any thread can read', async () => {
    const { sent, outbox } = open();
    class Odd extends Error {
      readonly notSendable = () => {};
    }
    const error = new Odd('the disk is full');
    outbox.observe({ kind: 'database.connectionLost', error });
    await turn();
    const [[told]] = structuredClone(sent) as [[{ error: Error }]];
    expect(told.error).toMatchObject({ message: 'the disk is full', stack: error.stack });
  });
});
