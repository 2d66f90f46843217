import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { EventStream } from '../../../src/events/event-stream.ts';
import type { ToldEvent } from '../../../src/events/told-event.ts';
import { parseTopics } from '../../../src/events/topic.ts';

const told: readonly ToldEvent[] = Array.from({ length: 200 }, (_, n) => ({
  topic: 'object:user',
  resource: `managed/user/${'u'.repeat(500)}${n}`,
  operation: 'update',
}));

it('drops who does not read, so that what waits does not grow', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [, outgoing] = (await once(server, 'request')) as [unknown, ServerResponse];
  let ends = 0;
  const over = new Promise<void>((resolve) => {
    const stream = new EventStream({
      outgoing,
      topics: parseTopics('object:user', ['user']),
      judge: async (shown) => ({ shown, isGap: false }),
      touchesCaller: () => false,
      onEnd: () => {
        ends += 1;
        resolve();
      },
    });
    stream.open(0, false);
    // Twenty megabytes: more than the sockets of both sides hold.
    for (let id = 1; id <= 190; id++) stream.take({ id, is_gap: false, events: told });
  });
  await over;
  expect(outgoing.destroyed).toBe(true);
  expect(ends).toBe(1);
  client.destroy();
  server.close();
  await once(server, 'close');
});
