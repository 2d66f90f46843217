import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Door, MOST_HEADER_BYTES } from './door.ts';
import { cannotListen } from './require-free-port.ts';

/** An import of it looks at all that it exports and so loads `fetch`, which takes 14 MB that nobody needs. */
const { createServer } = process.getBuiltinModule('node:http');

/** Longer than a load balancer keeps a connection, or it would send into one that is just being closed. */
const KEEP_ALIVE_MS = 65_000;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How many threads listen on it. */
  readonly sharedBy?: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
}

/** Node's own server, made to drop slow clients, before a door. @throws ActivationError `HTTP_CANNOT_LISTEN` */
export async function listen(
  door: Door,
  options: ListenOptions,
): Promise<{ readonly server: Server; readonly port: number }> {
  const { host, port, sharedBy = 1, requestTimeoutMs } = options;
  const take = (message: IncomingMessage, outgoing: ServerResponse) => door.take(message, outgoing);
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: Math.min(20_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs / 2),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node's own refusal has no body; ours has.
      requireHostHeader: false,
    },
    take,
  );
  // Node's own answer to an expectation that it does not know has no body either.
  server.on('checkExpectation', take);
  // Node forgets headers beyond its own limit in silence; whoever sends more than ours is refused instead.
  server.maxHeadersCount = 0;
  const most = mostConnections();
  if (most !== undefined) server.maxConnections = Math.ceil(most / sharedBy);
  server.on('clientError', (error: Error, socket) => door.takeUnreadable(error, socket as never));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ port, host, reusePort: sharedBy > 1 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`No port was opened on ${host}`);
  return { server, port: address.port };
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Files that a node needs beside the connections of its clients. */
const OWN_FILES = 300;

/** As many connections as the process may open files, but for its own: without these it could not even be asked how it is. */
function mostConnections(): number | undefined {
  try {
    const [, files] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return files === undefined ? undefined : Math.max(100, Number(files) - OWN_FILES);
  } catch {
    return undefined;
  }
}
