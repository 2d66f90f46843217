import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { BadRequestError, errorIdOf, ResourceError, reasonOf, TooManyRequestsError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { callerAddress, networkOf, type RateLimit, type TrustedProxies } from '#security/index.ts';
import { isSecure } from './incoming.ts';
import { refuseMessage } from './refuse-message.ts';
import type { RestInterface } from './rest-interface.ts';

export interface NodeServerOptions {
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  readonly proxies: TrustedProxies;
  /** Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Then each answer asks its client to close the connection. */
  readonly isStopping: () => boolean;
  /** Takes what is its own, and leaves the rest to the listener; absent on a node without it. */
  readonly rest: RestInterface | undefined;
  readonly observe: Observe;
}

const MOST_HEADER_BYTES = 32_768;
/** Longer than a load balancer keeps a connection, or it would send into one that is just being closed. */
const KEEP_ALIVE_MS = 65_000;
const LINGER_MS = 500;
/** A year, as lists of browsers ask for. Hosts below this one could set its cookies in plain HTTP. */
const STAY_WITH_TLS = 'max-age=31536000; includeSubDomains';

/** On every answer; pages replace the policy by their own, and files of ours may be kept. */
const SECURE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy':
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const SECURE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.keys(SECURE_HEADERS).map((name) => [name.toLowerCase(), name]),
);

/** Writes its headers all at once: each one that is set before costs as much as writing it, and makes writing slower. */
class SecureAnswer<Message extends IncomingMessage> extends ServerResponse<Message> {
  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.at(-1);
    const all: OutgoingHttpHeaders = { ...SECURE_HEADERS };
    if (typeof headers === 'object' && headers !== null) {
      for (const name of Object.keys(headers)) {
        const replaced = SECURE_NAMES.get(name.toLowerCase());
        if (replaced !== undefined) delete all[replaced];
      }
      Object.assign(all, headers);
    }
    if (typeof given[0] === 'string') return super.writeHead(status, given[0], all);
    // The status line says what the body of an error does.
    return status < 400 ? super.writeHead(status, all) : super.writeHead(status, reasonOf(status), all);
  }
}

/** Node's own server, made to close the door on unsound messages, slow clients and floods before anybody looks. */
export function nodeServer(options: NodeServerOptions) {
  const { requestTimeoutMs, proxies, rateLimit, isStopping, rest, observe } = options;
  const refused = new WeakSet<Socket>();
  return (given: ServerOptions, listener: RequestListener): Server => {
    const server = createServer(
      {
        ...given,
        ServerResponse: SecureAnswer,
        maxHeaderSize: MOST_HEADER_BYTES,
        headersTimeout: Math.min(20_000, requestTimeoutMs),
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs / 2),
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node's own refusal has no body; ours has.
        requireHostHeader: false,
      },
      (message, answer) => {
        // What stood behind a refused message was not meant as what it would be read as.
        if (refused.has(message.socket)) return;
        if (isStopping()) answer.setHeader('Connection', 'close');
        if (isSecure(message, proxies)) answer.setHeader('Strict-Transport-Security', STAY_WITH_TLS);
        const unsound = refuseMessage(message);
        const error = unsound ?? (rateLimit === undefined ? undefined : tooMany());
        if (error === undefined)
          return rest?.take(message, answer) === true ? undefined : listener(message, answer);
        tellRefused(observe, error, addressOf(message));
        const body = JSON.stringify(error.toJSON());
        answer.writeHead(error.code, {
          'Content-Type': 'application/json;charset=UTF-8',
          'Content-Length': Buffer.byteLength(body),
          'X-Request-Id': randomUUID(),
          ...(error.code === 429 ? { 'Retry-After': String(retryAfterOf(error)) } : {}),
          ...(unsound === undefined ? {} : { Connection: 'close' }),
        });
        if (unsound !== undefined) refused.add(message.socket);
        answer.write(message.method === 'HEAD' ? '' : body);
        endAfter(message, () => answer.end());

        function tooMany(): ResourceError | undefined {
          const seconds = rateLimit!.take(networkOf(addressOf(message)));
          if (seconds === 0 || message.url?.startsWith('/health/')) return undefined;
          return new TooManyRequestsError('Too many requests', {
            id: 'HTTP_RATE_LIMIT',
            hint: `Try again in ${seconds} s`,
            detail: { retryAfterSeconds: seconds },
          });
        }
      },
    );
    // Node forgets headers beyond its own limit in silence; whoever sends more than ours is refused instead.
    server.maxHeadersCount = 0;
    server.on('clientError', (error: Unreadable, socket: Socket) => {
      // It has its answer; the connection ends behind that.
      if (!refused.has(socket)) answerUnreadable(error, socket, observe);
    });
    return server;
  };

  function addressOf({ socket, headers }: IncomingMessage): string {
    return callerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), proxies);
  }
}

/** A body that nobody wants is let in for a moment: many a client that is cut off while it sends never sees the answer. */
function endAfter(message: IncomingMessage, end: () => void): void {
  const late = setTimeout(end, LINGER_MS);
  message.once('close', () => {
    clearTimeout(late);
    end();
  });
  message.resume();
}

function tellRefused(observe: Observe, error: ResourceError, address: string): void {
  observe({ kind: 'http.refused', status: error.code, why: String(errorIdOf(error)), address });
}

function retryAfterOf({ detail }: ResourceError): number {
  return (detail as { retryAfterSeconds: number }).retryAfterSeconds;
}

type Unreadable = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** What Node could not read as a request, or has waited for too long. */
function answerUnreadable(error: Unreadable, socket: Socket, observe: Observe): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const { code, status, message } = UNREADABLE[error.code ?? ''] ?? BAD;
  const refusal =
    code === 400
      ? new BadRequestError(message, { id: 'HTTP_UNREADABLE' })
      : new ResourceError(code, message, { id: 'HTTP_UNREADABLE' });
  tellRefused(observe, refusal, socket.remoteAddress ?? '');
  const body = JSON.stringify(refusal);
  const headers = {
    ...SECURE_HEADERS,
    'Content-Type': 'application/json;charset=UTF-8',
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Whoever asked for the head alone would take a body for the next answer.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  socket.end(
    [
      `HTTP/1.1 ${code} ${status}`,
      ...lines,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  );
}

const BAD = { code: 400, status: 'Bad Request', message: 'The request is no HTTP message' };
const UNREADABLE: Readonly<Record<string, typeof BAD>> = {
  HPE_HEADER_OVERFLOW: {
    code: 431,
    status: 'Request Header Fields Too Large',
    message: `URL and headers are larger than ${MOST_HEADER_BYTES} bytes together`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 413,
    status: 'Payload Too Large',
    message: 'Too many chunk extensions',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, status: 'Request Timeout', message: 'The request came too slowly' },
};
