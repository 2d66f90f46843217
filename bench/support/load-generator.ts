/**
 * Sends HTTP requests over kept connections as fast as they are answered. Talks through bare sockets: a client
 * library would cost as much as the servers that are to be measured.
 */
import { connect } from 'node:net';
import { answerParent } from './child.ts';
import { Latency } from './latency.ts';
import { type LoadResult, type LoadTask, NUMBER } from './load.ts';

/** What a status such as 200 or 201 begins with. */
const SUCCESS = '2'.charCodeAt(0);

answerParent(async (task: LoadTask): Promise<LoadResult> => {
  const requests = task.paths.map((path) => numbered(Buffer.from(formatRequest(task, path))));
  const latency = new Latency();
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: task.connections }, () => sendUntil(task, requests, startedAt + task.ms, latency)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: counts.reduce((sum, count) => sum + count, 0) / seconds,
    p50Ms: latency.percentile(0.5),
    p99Ms: latency.percentile(0.99),
  };
});

let lastNumber = 0;

/** The request with another number each time, where it has a place for one. */
function numbered(request: Buffer): () => Buffer {
  const place = request.indexOf(NUMBER);
  if (place < 0) return () => request;
  return () => {
    const copy = Buffer.from(request);
    copy.write(String(++lastNumber).padStart(NUMBER.length, '0'), place, 'latin1');
    return copy;
  };
}

/** @returns how many requests this connection had answered */
function sendUntil(
  { url }: LoadTask,
  requests: readonly (() => Buffer)[],
  deadline: number,
  latency: Latency,
): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let count = 0;
    let sentAt = 0;
    let received = Buffer.alloc(0);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[Math.floor(Math.random() * requests.length)]!());
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${url} closed the connection`)));
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (!isComplete(received)) return;
      const now = performance.now();
      latency.add(now - sentAt);
      count++;
      if (received[9] !== SUCCESS) {
        reject(new Error(`${url} answered ${received.toString('latin1', 0, 500)}`));
        socket.destroy();
      } else if (now >= deadline) {
        resolve(count);
        socket.destroy();
      } else {
        received = received.subarray(received.length);
        send();
      }
    });
  });
}

/** Whether the buffer holds one whole response; no second one follows it, as none was asked for. */
function isComplete(received: Buffer): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, headEnd + 2))?.[1];
  if (length !== undefined) return received.length >= headEnd + 4 + Number(length);
  return received.subarray(-5).toString('latin1') === '0\r\n\r\n';
}

function formatRequest({ url, method, headers, body }: LoadTask, path: string): string {
  const lines = Object.entries({
    Host: new URL(url).host,
    ...headers,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
