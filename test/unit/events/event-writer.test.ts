import { expect, it } from 'vitest';
import { EventWriter } from '../../../src/events/event-writer.ts';
import type { ToldEvent } from '../../../src/events/told-event.ts';

const told = (count: number): ToldEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    topic: 'object:user',
    resource: `managed/user/${n}`,
    operation: 'update',
  }));

function writerOf({ isHeard = true, failsFirst = false } = {}) {
  const written: { events: number; isGap: boolean }[] = [];
  let failures = 0;
  const writer = new EventWriter({
    isHeard: () => isHeard,
    async write(events, isGap) {
      if (failsFirst && failures === 0) throw new Error('the database is away');
      written.push({ events: events.length, isGap });
    },
    failed: () => {
      failures += 1;
    },
  });
  return { writer, written };
}

it('writes what is told at once together, each thing once', async () => {
  const { writer, written } = writerOf();
  writer.tell(told(3));
  writer.tell(told(4));
  await writer.stop();
  expect(written).toEqual([{ events: 4, isGap: false }]);
});

it('says that something is missing where it is told more than it can take', async () => {
  const { writer, written } = writerOf();
  writer.tell(told(300));
  await writer.stop();
  expect(written).toEqual([{ events: 200, isGap: true }]);
});

it('says that something is missing after what it could not write', async () => {
  const { writer, written } = writerOf({ failsFirst: true });
  writer.tell(told(1));
  await writer.stop();
  writer.tell(told(2));
  await writer.stop();
  expect(written).toEqual([{ events: 2, isGap: true }]);
});

it('keeps nothing while nobody listens', async () => {
  const { writer, written } = writerOf({ isHeard: false });
  writer.tell(told(3));
  writer.tellGap();
  await writer.stop();
  expect(written).toEqual([]);
});
