import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Trouble, translateDatabaseError, troubleOf, withDatabaseWait } from '#database/index.ts';
import {
  BadRequestError,
  errorIdOf,
  NotFoundError,
  PayloadTooLargeError,
  ResourceError,
  ServiceUnavailableError,
  TooManyRequestsError,
  toResourceError,
} from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { networkOf } from '#resource/index.ts';
import type { RateLimit } from '#security/index.ts';
import { type AnswerWriter, answerText, LINGER_MS } from './answer-writer.ts';
import { type CorsFilter, corsHeaders } from './cors.ts';
import { type Dialect, dialectOf, REST } from './dialect.ts';
import { HttpExchange } from './http-exchange.ts';
import type { Site } from './incoming.ts';
import { type Page, type Pages, withoutSlash } from './pages.ts';
import { refuseMessage } from './refuse-message.ts';
import type { RestInterface } from './rest-interface.ts';
import { tellAnswered } from './tell-answered.ts';
import { tooOften } from './too-often.ts';
import { Turns } from './turns.ts';
import { type Answer, writeError } from './write-response.ts';

/** The URL and all headers of a request together. */
export const MOST_HEADER_BYTES = 32_768;

export interface DoorOptions {
  readonly site: Site;
  readonly dialects: readonly Dialect[];
  /** What pages of other origins may do now. */
  readonly cors: () => CorsFilter | undefined;
  /** Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Absent on a node that only works. */
  readonly rest: RestInterface | undefined;
  readonly pages: Pages;
  /** Pages of which there are too many to be listed; undefined for a path that is none of theirs. */
  readonly further: (path: string) => Page | undefined;
  readonly writer: AnswerWriter;
  /** How long a request waits for the database. */
  readonly deadlineMs: number;
  readonly observe: Observe;
}

/**
 * The road of every request from its first byte to the last of its answer: refuse, limit, find who answers (the REST
 * interface authenticates, reads and hands on; a page just answers), write.
 */
export class Door {
  readonly #options: DoorOptions;
  readonly #refused = new WeakSet<Socket>();
  readonly #turns = new Turns();

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  take(message: IncomingMessage, outgoing: ServerResponse): void {
    // Nobody knows where the message behind a refused one begins.
    if (this.#refused.has(message.socket)) return;
    const exchange = new HttpExchange(message, outgoing, this.#options.site);
    const begin = () => void this.#respond(exchange, () => this.#answer(exchange));
    const unsound = refuseMessage(message, this.#options.site.headerNames);
    const tooOften = unsound === undefined ? this.#limit(exchange) : undefined;
    const refusal = unsound ?? tooOften ?? (this.#turns.take(exchange, begin) ? undefined : tooManyAtOnce());
    if (refusal === undefined) return;
    const isLast = refusal !== tooOften;
    if (isLast) this.#refused.add(message.socket);
    void this.#respond(exchange, () => this.#refuse(exchange, refusal, isLast));
  }

  async #respond(exchange: HttpExchange, answer: () => Answer | Promise<Answer>): Promise<void> {
    try {
      this.#options.writer.write(exchange, await answer());
    } catch (error) {
      this.#tell(exchange, 'http.failed', error);
      exchange.outgoing.destroy();
    }
  }

  /** What Node could not read as a request, or has waited for too long. */
  takeUnreadable(error: Unreadable, socket: Socket): void {
    // A refused connection has its answer, and ends behind that.
    if (this.#refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const { code, message } = UNREADABLE[error.code ?? ''] ?? BAD;
    const refusal =
      code === 400
        ? new BadRequestError(message, { id: 'HTTP_UNREADABLE' })
        : new ResourceError(code, message, { id: 'HTTP_UNREADABLE' });
    this.#tellRefused(refusal, socket.remoteAddress ?? '');
    // Whoever asked for the head alone would take a body for the next answer.
    const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
    this.#refused.add(socket);
    this.#turns.sayLast(socket, () => endConnection(socket, answerText(writeError(refusal), isHead)));
  }

  #limit({ incoming }: HttpExchange): ResourceError | undefined {
    const refusal = tooOften(this.#options.rateLimit, networkOf(incoming.callerAddress));
    return incoming.target.startsWith('/health/') ? undefined : refusal;
  }

  async #answer(exchange: HttpExchange): Promise<Answer> {
    const { rest, observe, dialects, deadlineMs } = this.#options;
    const dialect = dialectOf(exchange.incoming.path, dialects);
    if (rest === undefined || dialect === undefined) {
      return this.#settle(exchange, REST, () => this.#page(exchange)(exchange));
    }
    const answer = await this.#settle(exchange, dialect, () =>
      withDatabaseWait(deadlineMs, () => rest.answer(exchange, dialect)),
    );
    Object.assign(answer.headers, corsHeaders(exchange.incoming, this.#options.cors()));
    tellAnswered(observe, exchange, answer);
    return answer;
  }

  /** The answer, be it to what went wrong; what is the server's own fault is told. */
  async #settle(
    exchange: HttpExchange,
    { writeError }: Dialect,
    ask: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await ask();
    } catch (thrown) {
      const error = outside(toResourceError(translateDatabaseError(thrown)), exchange);
      if (error.code >= 500 && error.cause !== undefined) this.#tellFailed(exchange, error, troubleOf(error));
      if (errorIdOf(error) === 'HTTP_RATE_LIMIT') this.#tellRefused(error, exchange.incoming.callerAddress);
      exchange.failure = error;
      const answer = writeError(error, { prettyPrint: exchange.incoming.says('_prettyPrint', 'true') });
      // The rest of the body is not read, so the connection cannot carry another request.
      if (error instanceof PayloadTooLargeError) answer.headers['Connection'] = 'close';
      return answer;
    }
  }

  #page({ incoming: { method, path } }: HttpExchange): Page {
    const isRead = method === 'GET' || method === 'HEAD';
    const { pages, further } = this.#options;
    const page = isRead ? (pages[withoutSlash(path)] ?? further(path)) : undefined;
    if (page !== undefined) return page;
    throw new NotFoundError(`There is nothing at '${path}'`, {
      hint: `Resources are below ${REST.base}; /docs describes them`,
    });
  }

  #refuse({ incoming }: HttpExchange, refusal: ResourceError, isLast: boolean): Answer {
    this.#tellRefused(refusal, incoming.callerAddress);
    const answer = (dialectOf(incoming.path, this.#options.dialects) ?? REST).writeError(refusal);
    if (isLast) answer.headers['Connection'] = 'close';
    return answer;
  }

  #tellRefused(error: ResourceError, address: string): void {
    this.#options.observe({
      kind: 'http.refused',
      status: error.code,
      why: String(errorIdOf(error)),
      address,
    });
  }

  #tellFailed(exchange: HttpExchange, error: ResourceError, trouble: Trouble | undefined): void {
    // Nothing is wrong here that a stack would show: another server is away.
    const isElsewhere = error instanceof ServiceUnavailableError && trouble === undefined;
    if (isElsewhere) this.#tell(exchange, 'http.elsewhere', error);
    else this.#tell(exchange, trouble === 'unreachable' ? 'http.unavailable' : 'http.failed', error.cause);
  }

  #tell(
    { incoming: { method, path }, requestId }: HttpExchange,
    kind: 'http.failed' | 'http.unavailable' | 'http.elsewhere',
    error: unknown,
  ): void {
    this.#options.observe({ kind, method, path, requestId, error });
  }
}

/**
 * What another server has said to a script, and the script has made nothing of, is for the log: whoever has asked for
 * something else is told that it went wrong there.
 */
function outside(error: ResourceError, { request }: HttpExchange): ResourceError {
  if (errorIdOf(error) !== 'EXTERNAL_REST_STATUS' || request?.path[0] === 'external') return error;
  return new ResourceError(502, 'A server that was asked on the way has refused it; nothing was changed', {
    id: 'EXTERNAL_REST_STATUS',
    cause: error,
  });
}

function tooManyAtOnce(): ResourceError {
  return new TooManyRequestsError('Too many requests of one connection at once', {
    id: 'HTTP_PIPELINE_CROWDED',
    hint: 'Those before this one are answered, the next ones were not read. Wait for answers before you send more',
    detail: { retryAfterSeconds: 1 },
  });
}

/** A client that does not close its own side would keep the connection, and whatever waits for its body, for ever. */
function endConnection(socket: Socket, lastWord: string): void {
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
  socket.end(lastWord);
}

type Unreadable = NodeJS.ErrnoException & { rawPacket?: Buffer };

const BAD = { code: 400, message: 'The request is no HTTP message' };
const UNREADABLE: Readonly<Record<string, typeof BAD>> = {
  HPE_HEADER_OVERFLOW: {
    code: 431,
    message: `URL and headers are larger than ${MOST_HEADER_BYTES} bytes together`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 413, message: 'Too many chunk extensions' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, message: 'The request came too slowly' },
};
