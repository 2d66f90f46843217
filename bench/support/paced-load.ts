/**
 * Sends requests at a fixed rate, whether earlier ones have been answered or not, as callers do who know nothing of each
 * other. A time counts from when a request was due, so that what waits behind a slow answer is not left out.
 */
import { connect, type Socket } from 'node:net';
import { answerParent } from './child.ts';
import { Latency } from './latency.ts';

export interface Stream {
  readonly perSecond: number;
  /** Sent one after the other, and again from the beginning. */
  readonly requests: readonly string[];
}

export interface PacedTask {
  readonly url: string;
  readonly streams: Readonly<Record<string, Stream>>;
  readonly ms: number;
}

export interface PacedResult {
  readonly sent: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many answers there were of each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const TICK_MS = 5;

answerParent(async ({ url, streams, ms }: PacedTask) => {
  const startedAt = performance.now();
  const results = await Promise.all(
    Object.entries(streams).map(
      async ([name, stream]) => [name, await pace(url, stream, startedAt, ms)] as const,
    ),
  );
  return Object.fromEntries(results);
});

async function pace(url: string, stream: Stream, startedAt: number, ms: number): Promise<PacedResult> {
  const { perSecond, requests } = stream;
  const idle: Socket[] = [];
  const latency = new Latency();
  const statuses: Record<string, number> = {};
  const answers: Promise<void>[] = [];
  const count = Math.floor((perSecond * ms) / 1_000);
  while (answers.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) + 1);
    while (answers.length < due) {
      const dueAt = startedAt + (answers.length * 1_000) / perSecond;
      const request = requests[answers.length % requests.length]!;
      answers.push(
        ask(url, idle, request).then((status) => {
          latency.add(performance.now() - dueAt);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(answers);
  for (const socket of idle) socket.destroy();
  return { sent: count, p50Ms: latency.percentile(0.5), p99Ms: latency.percentile(0.99), statuses };
}

/** Over a connection that nobody uses, or a new one. @returns the status */
function ask(url: string, idle: Socket[], request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket =
    idle.pop() ??
    // What has gone wrong is told when the connection closes.
    connect({ host: hostname, port: Number(port), noDelay: true }).on('error', () => {});
  return new Promise((resolve, reject) => {
    let received = '';
    const closed = () => reject(new Error(`${url} closed the connection`));
    const take = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1];
      if (headEnd < 0 || received.length < headEnd + 4 + Number(length ?? 0)) return;
      socket.off('data', take).off('close', closed);
      idle.push(socket);
      resolve(received.slice(9, 12));
    };
    socket.on('data', take).once('close', closed);
    socket.write(request);
  });
}
