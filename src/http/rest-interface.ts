import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { inTime } from '#database/index.ts';
import { errorIdOf, toResourceError, UnauthorizedError } from '#errors/index.ts';
import type { EventDesk } from '#events/index.ts';
import {
  type ClientContext,
  type Context,
  formatPath,
  type HttpContext,
  isWrite,
  type Request,
  type RequestSink,
  type Response,
  rootContext,
  type SecurityContext,
} from '#resource/index.ts';
import { isKey, type RateLimit } from '#security/index.ts';
import type { BodyRoom } from './body-room.ts';
import type { Dialect } from './dialect.ts';
import type { Caller, HttpExchange } from './http-exchange.ts';
import { type Incoming, IncomingClient, IncomingHttp } from './incoming.ts';
import { bodyBytes, readBody } from './read-body.ts';
import { type Commits, seenBy, tellSeen } from './seen-writes.ts';
import { tooOften } from './too-often.ts';
import { type Answer, writeJsonText } from './write-response.ts';

/** Finds out who a caller is. @throws UnauthorizedError when the caller is nobody we know */
export type Identify = (
  header: (name: string) => string | undefined,
  client: ClientContext,
  requestId: string,
  http: HttpContext,
) => Promise<SecurityContext>;

export interface RestOptions {
  readonly resources: RequestSink;
  /** Absent where nothing is streamed. */
  readonly events?: EventDesk;
  /** Absent where no standby answers. */
  readonly commits?: Commits | undefined;
  readonly bodyLimitBytes: number;
  readonly answerLimitBytes: number;
  /** For all bodies of this node. */
  readonly bodies: Pick<BodyRoom, 'enter'>;
  /** Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Whether the transaction id that a request brings is taken over. */
  readonly trustsTransactionId: boolean;
  /** The request with its path as the routes write it. */
  readonly named: (request: Request) => Request;
  readonly authenticate: Identify;
  /** What can be asked now at and below a path, for the API description. */
  readonly describe: (path: string) => string;
}

const NO_SESSION_HEADER = 'x-openidm-nosession';
const TRANSACTION_HEADER = 'x-svc-transactionid';
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
/** A body may be as long as headers are without anybody's leave. */
const SMALL_BODY = 4_096;

/**
 * Everything below the base path of a dialect: authenticates, reads, hands on. It works on Node's own messages: web objects around
 * them cost more than the access rules.
 */
export class RestInterface {
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  async answer(exchange: HttpExchange, dialect: Dialect): Promise<Answer> {
    const { incoming } = exchange;
    const { authenticate, describe, trustsTransactionId } = this.#options;
    if (incoming.method === 'OPTIONS') return { status: 204, headers: { Allow: METHODS }, body: null };
    if (trustsTransactionId) exchange.requestId = passedOn(incoming) ?? exchange.requestId;
    const caller = await inTime(identify(exchange, authenticate));
    this.#limitKey(exchange, caller);
    if (incoming.says('_crestApi') || incoming.says('_api'))
      return writeJsonText(describe(pathOf(incoming, dialect)));
    const isWhole = incoming.message.complete;
    return this.#withBody(exchange, async (body) => {
      // A body may take its time, and what it asks for is done with the rights that its sender has then.
      const asks = isWhole || body === '' ? caller : await renew(exchange, caller, authenticate);
      return this.#ask(exchange, dialect, asks, body);
    });
  }

  /** A key may come from any number of addresses, as that of a provider of identities does. */
  #limitKey({ account }: HttpExchange, { security }: Caller): void {
    const refusal = isKey(security) ? tooOften(this.#options.rateLimit, account) : undefined;
    if (refusal !== undefined) throw refusal;
  }

  /** The bytes of a body are somebody's as long as the request is under way. */
  async #withBody(exchange: HttpExchange, ask: (body: string) => Promise<Answer>): Promise<Answer> {
    const { bodyLimitBytes, bodies } = this.#options;
    const { message } = exchange.incoming;
    const bytes = bodyBytes(message, bodyLimitBytes);
    if (bytes === 0) return ask('');
    if (bytes <= SMALL_BODY) return ask(await readBody(message, bodyLimitBytes));
    const slow = new AbortController();
    const place = await bodies.enter(exchange.account, bytes, () => slow.abort());
    try {
      const body = await readBody(message, bodyLimitBytes, { ...place, givenUp: slow.signal });
      await place.narrow(body.length);
      return await ask(body);
    } finally {
      place.leave();
    }
  }

  /**
   * A login of the field: who asks `info/login` with name and password in headers, which no browser sends of its own accord,
   * is given a session by the resource that gives them, under its access rule.
   */
  async #beginSession(
    { incoming, request }: HttpExchange,
    { beginsSessions }: Dialect,
    context: Context,
  ): Promise<string | undefined> {
    if (beginsSessions !== true || request?.method !== 'read' || formatPath(request.path) !== 'info/login')
      return undefined;
    const { header } = incoming;
    if (header('x-svc-username') === undefined || header(NO_SESSION_HEADER)?.toLowerCase() === 'true')
      return undefined;
    const path = ['authentication'];
    const login = {
      method: 'action',
      path,
      fields: [],
      parameters: {},
      action: 'login',
      content: null,
    } as const;
    try {
      const begun = await this.#options.resources.handle(context, login);
      return begun.kind === 'action' ? begun.headers?.['Set-Cookie'] : undefined;
    } catch (error) {
      // A caller who may have no session, or where there are none, has logged in all the same.
      if (toResourceError(error).code < 500) return undefined;
      throw error;
    }
  }

  async #ask(exchange: HttpExchange, dialect: Dialect, caller: Caller, body: string): Promise<Answer> {
    const { answerLimitBytes, bodyLimitBytes, named, resources } = this.#options;
    const { incoming, requestId } = exchange;
    const { header, method, search } = incoming;
    const path = pathOf(incoming, dialect);
    const { request, ...form } = dialect.read({ method, path, search, header, body, bodyLimitBytes });
    exchange.request = named(request);
    const context = rootContext({
      id: requestId,
      transactionId: requestId,
      receivedAt: Date.now(),
      ...caller,
    });
    const { authenticate, commits } = this.#options;
    const seen = commits === undefined ? undefined : seenBy(incoming);
    const asked = {
      ...context,
      awaited: awaitedBy(incoming.message.socket),
      ...(seen === undefined ? {} : { seen }),
      renew: async () => (await renew(exchange, caller, authenticate)).security,
    };
    const response = await resources.handle(asked, exchange.request ?? request);
    if (response.kind === 'action') exchange.refused = response.refused ?? [];
    const { events } = this.#options;
    const topics = streamedTopics(exchange.request);
    if (events !== undefined && topics !== undefined) {
      return beginStream(exchange, caller, topics, { ...this.#options, events });
    }
    const cookie = await this.#beginSession(exchange, dialect, asked);
    const base = () => incoming.origin + dialect.base;
    const options = { ...form, base, mostBytes: answerLimitBytes };
    const write = (shown: Response, form = options) => dialect.write(exchange.request!, shown, form);
    const isDone = isWrite(exchange.request) && exchange.request.dryRun !== true;
    if (!isDone || response.kind === 'query') return withCookie(await write(response), cookie);
    const told = await firstThatFits([
      () => write(response),
      // An error would mean that nothing has changed.
      () => warned('shown without _prettyPrint', write(response, { ...options, prettyPrint: false })),
      () => warned('too large to be shown', write({ ...response, content: {} })),
    ]);
    return commits === undefined ? told : tellSeen(told, incoming, commits);
  }
}

const connections = new WeakMap<Socket, AbortSignal>();

/** Aborted when the connection is closed, so that nobody waits for answers to what came by it. One for all of its requests. */
function awaitedBy(socket: Socket): AbortSignal {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  connections.set(socket, left.signal);
  if (socket.destroyed) left.abort();
  else socket.once('close', () => left.abort());
  return left.signal;
}

function withCookie(answer: Answer, cookie: string | undefined): Answer {
  if (cookie !== undefined) answer.headers['Set-Cookie'] = cookie;
  return answer;
}

/** What has been granted as a read; undefined where no stream is asked for. */
function streamedTopics({ method, path, parameters }: Request): string | undefined {
  return method === 'read' && path.length === 1 && path[0] === 'events' ? parameters['topics'] : undefined;
}

async function beginStream(
  exchange: HttpExchange,
  caller: Caller,
  topics: string,
  { events, authenticate }: Pick<RestOptions, 'authenticate'> & { readonly events: EventDesk },
): Promise<Answer> {
  const { incoming, account } = exchange;
  const begin = await events.admit({
    account,
    lastEventId: incoming.header('last-event-id'),
    topics,
    security: caller.security,
    identify: async () => (await renew(exchange, caller, authenticate)).security,
  });
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  };
  return { status: 200, headers, body: null, stream: begin };
}

async function firstThatFits(answers: readonly (() => Promise<Answer>)[]): Promise<Answer> {
  const [first, ...others] = answers;
  try {
    return await first!();
  } catch (error) {
    if (others.length === 0 || errorIdOf(error) !== 'ANSWER_TOO_LARGE') throw error;
    return firstThatFits(others);
  }
}

async function warned(how: string, written: Promise<Answer>): Promise<Answer> {
  const answer = await written;
  answer.headers['Warning'] = `299 - "ANSWER_TOO_LARGE: it is done, and ${how}"`;
  return answer;
}

/** Notes who asks. @throws UnauthorizedError when the caller is nobody we know */
export async function identify(exchange: HttpExchange, authenticate: Identify): Promise<Caller> {
  const { incoming, requestId } = exchange;
  const client = new IncomingClient(incoming);
  const http = new IncomingHttp(incoming);
  const security = await authenticate(incoming.header, client, requestId, http);
  exchange.caller = { security, client, http };
  return exchange.caller;
}

/**
 * Whom the same message lets in now, and with which rights; it is no further use of a session.
 *
 * @throws UnauthorizedError when that is nobody any more, or somebody else
 */
async function renew(
  { incoming, requestId }: HttpExchange,
  { client, http, security: { authorization } }: Caller,
  authenticate: Identify,
): Promise<Caller> {
  const { id, component } = authorization;
  const header = (name: string) => (name === 'x-svc-background' ? '1' : incoming.header(name));
  const security = await authenticate(header, client, requestId, http);
  const now = security.authorization;
  if (now.id !== id || now.component !== component) throw new UnauthorizedError('Access denied');
  return { client, http, security };
}

/** Percent-encoded, below the base path. */
function pathOf({ path }: Incoming, { base }: Dialect): string {
  return path.slice(base.length);
}

/** The transaction of another server of which the request is a part; undefined when it names none, or none that can be kept. */
function passedOn({ header }: Incoming): string | undefined {
  const id = header(TRANSACTION_HEADER);
  return id !== undefined && /^[\w.:/-]{1,200}$/.test(id) ? id : undefined;
}
