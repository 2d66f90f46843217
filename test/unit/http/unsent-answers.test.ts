import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnsentAnswers } from '../../../src/http/unsent-answers.ts';

/** More than a connection takes in by itself. */
const LARGE = Buffer.alloc(24_000_000, 'x');
const unsent = new UnsentAnswers(1_000_000, { ofCaller: 30_000_000, mostBytes: 60_000_000 });
const asked: string[] = [];
const server = createServer((request, response) => {
  const caller = request.url!.slice(1);
  asked.push(caller);
  unsent.add(caller, LARGE.length, response);
  response.end(LARGE);
});
const sockets: Socket[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A client that takes nothing of its answer until it is told to. */
async function ask(caller: string): Promise<{ readonly take: () => Promise<number> }> {
  const before = asked.length;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(`GET /${caller} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await expect.poll(() => asked.length).toBe(before + 1);
  return {
    async take() {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      socket.resume();
      await once(socket, 'close');
      return bytes;
    },
  };
}

describe('answers that nobody takes', () => {
  it('are cut where those of one caller are too much, the oldest first, and no others', async () => {
    const other = await ask('alice');
    const first = await ask('mallory');
    const second = await ask('mallory');
    expect(await first.take()).toBeLessThan(LARGE.length);
    expect(await second.take()).toBeGreaterThan(LARGE.length);
    expect(await other.take()).toBeGreaterThan(LARGE.length);
  });

  it('are cut where those of all are too much', async () => {
    const all = [await ask('a'), await ask('b'), await ask('c')];
    const taken = await Promise.all(all.map(({ take }) => take()));
    expect(taken.filter((bytes) => bytes < LARGE.length)).toHaveLength(1);
  });

  it('count for nothing when they have been taken', async () => {
    for (let time = 0; time < 4; time += 1) {
      const { take } = await ask('alice');
      expect(await take()).toBeGreaterThan(LARGE.length);
    }
  });
});
