import type { IncomingMessage, ServerResponse } from 'node:http';
import { translateDatabaseError } from '#database/index.ts';
import { PayloadTooLargeError, toResourceError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  type ClientContext,
  formatPath,
  type HttpContext,
  type Request,
  type RequestSink,
  rootContext,
  type SecurityContext,
} from '#resource/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { auditedMessage } from './audited-message.ts';
import { BodyRoom } from './body-room.ts';
import { type Door, Incoming, IncomingClient, IncomingHttp } from './incoming.ts';
import { bodyBytes, readBody } from './read-body.ts';
import { translateRequest } from './read-request.ts';
import { UnsentAnswers } from './unsent-answers.ts';
import { type Answer, writeError, writeJsonText, writeResponse } from './write-response.ts';

/** Where the REST interface begins. */
export const BASE_PATH = '/svc';

export interface RestOptions {
  readonly resources: RequestSink;
  readonly door: Door;
  readonly bodyLimitBytes: number;
  readonly answerLimitBytes: number;
  /** Whether the transaction id that a request brings is taken over. */
  readonly trustsTransactionId: boolean;
  /** The request with its path as the routes write it. */
  readonly named: (request: Request) => Request;
  /** @throws UnauthorizedError when the caller is nobody we know */
  readonly authenticate: (
    header: (name: string) => string | undefined,
    client: ClientContext,
    requestId: string,
    http: HttpContext,
  ) => Promise<SecurityContext>;
  readonly observe: Observe;
  /** What can be asked now at and below a path, for the API description. */
  readonly describe: (path: string) => string;
}

const TRANSACTION_HEADER = 'x-svc-transactionid';
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
/** A body may be as long as headers are without anybody's leave. */
const SMALL_BODY = 4_096;
/** How long a body that nobody reads may still come in after its answer. */
const LINGER_MS = 500;

/**
 * Everything below the base path: translates, authenticates, and hands on. It works on Node's own messages, since web
 * objects around them, and finding the one route there is, cost more than the access rules.
 */
export class RestInterface {
  readonly #options: RestOptions;
  readonly #bodies: BodyRoom;
  readonly #unsent: UnsentAnswers;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#bodies = new BodyRoom(options.bodyLimitBytes);
    this.#unsent = new UnsentAnswers(options.answerLimitBytes);
  }

  get bodyBytes(): number {
    return this.#bodies.total;
  }

  /** @returns false when the request is none of its own; then nothing has been done */
  take(message: IncomingMessage, outgoing: ServerResponse): boolean {
    const incoming = new Incoming(message, this.#options.door);
    const { path } = incoming;
    if (!path.startsWith(BASE_PATH) || (path.length > BASE_PATH.length && path[BASE_PATH.length] !== '/')) {
      return false;
    }
    if (incoming.method === 'OPTIONS')
      send(outgoing, { status: 204, headers: { Allow: METHODS }, body: null }, 0);
    else void this.#respond(incoming, outgoing);
    return true;
  }

  async #respond(incoming: Incoming, outgoing: ServerResponse): Promise<void> {
    try {
      const asked: Asked = {};
      const answer = await this.#handle(incoming, asked);
      const bytes = answer.body === null ? 0 : Buffer.byteLength(answer.body);
      if (asked.security !== undefined) this.#unsent.add(nameOf(asked.security), bytes, outgoing);
      send(outgoing, answer, bytes);
    } catch (error) {
      const { method, path } = incoming;
      this.#options.observe({ kind: 'http.failed', method, path, requestId: '', error });
      outgoing.destroy();
    }
  }

  async #handle(incoming: Incoming, asked: Asked): Promise<Answer> {
    const { observe, trustsTransactionId } = this.#options;
    const startedAt = performance.now();
    // In order of time, since it is indexed: the entries of the audit that it makes then stand at the end of their index.
    const requestId = (trustsTransactionId ? passedOn(incoming) : undefined) ?? timeOrderedId();
    const { method, path, search } = incoming;
    let answer: Answer;
    let failure: JsonValue = null;
    try {
      answer = await this.#answer(incoming, requestId, asked);
    } catch (thrown) {
      const error = toResourceError(translateDatabaseError(thrown));
      failure = error.toJSON() as unknown as JsonValue;
      if (error.code >= 500 && error.cause !== undefined) {
        observe({ kind: 'http.failed', method, path, requestId, error: error.cause });
      }
      answer = writeError(error, { prettyPrint: asksFor(search, '_prettyprint') === 'true', requestId });
      // The rest of the body is not read, so the connection cannot carry another request.
      if (error instanceof PayloadTooLargeError) answer.headers['Connection'] = 'close';
    }
    observe({
      kind: 'http.answered',
      method,
      path,
      status: answer.status,
      ms: performance.now() - startedAt,
      requestId,
      ...answeredRequest(asked, failure, auditedMessage(incoming, answer)),
    });
    return answer;
  }

  async #answer(incoming: Incoming, requestId: string, asked: Asked): Promise<Answer> {
    const { authenticate, bodyLimitBytes, describe } = this.#options;
    const { header, message, search } = incoming;
    const client = new IncomingClient(incoming);
    const http = new IncomingHttp(incoming);
    const security = await authenticate(header, client, requestId, http);
    asked.security = security;
    asked.client = client;
    const path = incoming.path.slice(BASE_PATH.length);
    if (asksFor(search, '_crestapi') !== undefined) return writeJsonText(describe(path));
    const bytes = bodyBytes(message, bodyLimitBytes);
    const ask = (body: string) =>
      this.#ask(incoming, { body, path, requestId, security, client, http }, asked);
    if (bytes === 0) return ask('');
    if (bytes <= SMALL_BODY) return ask(await readBody(message, bodyLimitBytes));
    const place = await this.#bodies.enter(nameOf(security), bytes);
    try {
      const body = await readBody(message, bodyLimitBytes);
      await place.narrow(body.length);
      return await ask(body);
    } finally {
      place.leave();
    }
  }

  async #ask(incoming: Incoming, question: Question, asked: Asked): Promise<Answer> {
    const { answerLimitBytes, bodyLimitBytes, named, resources } = this.#options;
    const { header, method, search } = incoming;
    const { body, path, requestId, security, client, http } = question;
    const { request: asWritten, ...form } = translateRequest({
      method,
      path,
      search,
      header,
      body,
      bodyLimitBytes,
    });
    const request = named(asWritten);
    asked.request = request;
    const context = rootContext({
      id: requestId,
      transactionId: requestId,
      receivedAt: Date.now(),
      security,
      client,
      http,
    });
    const result = await resources.handle(context, request);
    return writeResponse(request, result, {
      ...form,
      base: () => incoming.origin + BASE_PATH,
      requestId,
      mostBytes: answerLimitBytes,
    });
  }
}

/** Headers and body leave as one. */
function send(outgoing: ServerResponse, { status, headers, body }: Answer, bytes: number): void {
  const { req: message } = outgoing;
  if (!message.complete) discardRest(message);
  outgoing.writeHead(status, body === null ? headers : { ...headers, 'Content-Length': bytes });
  outgoing.end(body);
}

/** Whose requests share a bound. */
function nameOf({ authorization: { component, id } }: SecurityContext): string {
  return `${component}/${id}`;
}

/** Node reads on for as long as a request may take; nobody may use that to keep us busy. */
function discardRest(message: IncomingMessage): void {
  const late = setTimeout(() => message.socket.destroySoon(), LINGER_MS);
  message.once('close', () => clearTimeout(late));
  message.resume();
}

/** The transaction of another server of which the request is a part; undefined when it names none, or none that can be kept. */
function passedOn({ header }: Incoming): string | undefined {
  const id = header(TRANSACTION_HEADER);
  return id !== undefined && /^[\w.:/-]{1,200}$/.test(id) ? id : undefined;
}

/** A request whose caller is known. */
interface Question {
  readonly body: string;
  /** Below the base path, percent-encoded. */
  readonly path: string;
  readonly requestId: string;
  readonly security: SecurityContext;
  readonly client: ClientContext;
  readonly http: HttpContext;
}

/** What becomes known of a request on its way. */
interface Asked {
  security?: SecurityContext;
  client?: ClientContext;
  request?: Request;
}

function answeredRequest({ security, request, client }: Asked, error: JsonValue, message: () => JsonObject) {
  if (security === undefined || request === undefined || client === undefined) return {};
  return {
    request: {
      operation: request.method,
      resource: formatPath(request.path),
      action: request.method === 'action' ? request.action : null,
      userId: security.authenticationId,
      roles: security.authorization.roles,
      client: { ip: client.remoteAddress, port: client.remotePort },
      message,
      error,
    },
  };
}

/** The value of a parameter, whose name is compared ignoring case; in lower case, as is the name. */
function asksFor(search: URLSearchParams, name: string): string | undefined {
  for (const [given, value] of search) if (given.toLowerCase() === name) return value.toLowerCase();
  return undefined;
}
