import { once } from 'node:events';
import { connect } from 'node:net';

/** How long a server may be silent. */
const PATIENCE_MS = 300_000;

/** Sends bytes as they are and answers with all that comes back until the server closes. */
export async function sendRaw(url: string, message: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('data', (chunk) => chunks.push(chunk));
  // A server may close while we still send.
  socket.on('error', () => {});
  socket.write(message, 'latin1');
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** The status of an answer's first line; 0 when the connection was closed without a word. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
