import { randomUUID } from 'node:crypto';
import type { createServer, IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { translateDatabaseError } from '#database/index.ts';
import {
  ActivationError,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  toResourceError,
} from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  type ClientContext,
  formatPath,
  type Request,
  type RequestSink,
  type ResourceDescription,
  rootContext,
  type SecurityContext,
} from '#resource/index.ts';
import { ADMIN, TrustedProxies } from '#security/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { auditedMessage } from './audited-message.ts';
import { docsRoutes } from './docs-routes.ts';
import { type Health, healthRoutes } from './health.ts';
import { Incoming, IncomingClient, IncomingHttp } from './incoming.ts';
import { nodeServer } from './node-server.ts';
import { openApiDocument } from './openapi.ts';
import { RateLimit } from './rate-limit.ts';
import { readBody } from './read-body.ts';
import { translateRequest } from './read-request.ts';
import { writeError, writeResponse } from './write-response.ts';

/** Where the REST interface begins. */
export const BASE_PATH = '/svc';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly bodyLimitBytes: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  /** Addresses and networks whose word about callers counts. */
  readonly trustedProxies: readonly string[];
  /** Whether the transaction id that a request brings is taken over. */
  readonly trustsTransactionId: boolean;
  /** Requests a minute that one client may make of this node; undefined: as many as it likes. */
  readonly requestsPerMinute: number | undefined;
  /** Who sees metrics and the parts of readiness: everybody, administrators and this machine, or administrators. */
  readonly diagnostics: 'open' | 'local' | 'admin';
  /** Absent on a node that only works: it answers health checks and metrics, nothing else. */
  readonly resources: RequestSink | undefined;
  /** The request with its path as the routes write it. */
  readonly named: (request: Request) => Request;
  /** @throws UnauthorizedError when the caller is nobody we know */
  readonly authenticate: (
    header: (name: string) => string | undefined,
    client: ClientContext,
    requestId: string,
  ) => Promise<SecurityContext>;
  readonly health: Health;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  readonly observe: Observe;
  /** What can be asked now, for the API description. */
  readonly describe: () => readonly ResourceDescription[];
  readonly version: string;
}

const TRANSACTION_HEADER = 'x-svc-transactionid';
/** A request that is not answered by then is given up when the server stops. */
const DRAIN_MS = 30_000;
/** A connection whose last answer left before its client could be told to close it. */
const IDLE_LOOK_MS = 250;
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';

/** The HTTP door: translates, authenticates, and hands on. It decides nothing about resources. */
export class HttpServer implements Service {
  readonly name = 'http server';
  readonly drains = true;
  readonly #options: HttpServerOptions;
  readonly app: Hono;
  readonly #proxies: TrustedProxies;
  #server: ServerType | undefined;
  #port = 0;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#proxies = new TrustedProxies(options.trustedProxies);
    this.app = this.#routes();
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const { host, port, requestTimeoutMs, requestsPerMinute } = this.#options;
    const create = nodeServer({
      requestTimeoutMs,
      proxies: this.#proxies,
      isStopping: () => this.#server === undefined,
      rateLimit: requestsPerMinute === undefined ? undefined : new RateLimit(requestsPerMinute),
    });
    await new Promise<void>((resolve, reject) => {
      const server = serve(
        { fetch: this.app.fetch, hostname: host, port, createServer: create as typeof createServer },
        (info: AddressInfo) => {
          this.#port = info.port;
          resolve();
        },
      );
      server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
      this.#server = server;
    });
  }

  /**
   * Takes no new connections and waits for the requests under way. Whoever keeps a connection is told to close it with
   * the next answer: a client that is busy would keep the server up for ever.
   */
  async stop(): Promise<void> {
    const server = this.#server as Server | undefined;
    this.#server = undefined;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
      server.close(() => {
        clearTimeout(late);
        clearInterval(idle);
        resolve();
      });
      server.closeIdleConnections();
    });
  }

  get url(): string {
    const { host } = this.#options;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#port}`;
  }

  #routes(): Hono {
    const { health, metrics, observe } = this.#options;
    const app = new Hono({ strict: false });
    app.route(
      '/health',
      healthRoutes(health, (hono) => this.#mayDiagnose(hono).catch(() => false)),
    );
    app.route(
      '/docs',
      docsRoutes(() => this.#describe()),
    );
    app.get('/metrics', async (hono) => {
      if (!(await this.#mayDiagnose(hono))) {
        throw new ForbiddenError('Metrics are for administrators', {
          id: 'HTTP_DIAGNOSTICS',
          hint: 'Ask on this machine, or as an administrator; SVC_DIAGNOSTICS=open opens them to all',
        });
      }
      return new Response(await metrics.render(), { headers: { 'Content-Type': metrics.contentType } });
    });
    const { resources } = this.#options;
    if (resources !== undefined) {
      app.options(`${BASE_PATH}/*`, () => new Response(null, { status: 204, headers: { Allow: METHODS } }));
      app.all(`${BASE_PATH}/*`, (hono) => this.#handle(hono, resources));
      app.all(BASE_PATH, (hono) => this.#handle(hono, resources));
    }
    app.notFound((hono) =>
      writeError(
        new NotFoundError(`There is nothing at '${hono.req.path}'`, {
          hint: `Resources are below ${BASE_PATH}`,
        }),
      ),
    );
    app.onError((thrown, hono) => {
      const error = toResourceError(translateDatabaseError(thrown));
      if (error.code >= 500) {
        const { method, path } = hono.req;
        observe({ kind: 'http.failed', method, path, requestId: '', error: thrown });
      }
      return writeError(error);
    });
    return app;
  }

  /** @throws UnauthorizedError for credentials that nobody has */
  async #mayDiagnose(hono: HonoContext): Promise<boolean> {
    const { diagnostics, authenticate } = this.#options;
    if (diagnostics === 'open') return true;
    const incoming = this.#incoming(hono);
    const client = new IncomingClient(incoming);
    if (diagnostics === 'local' && client.isLocal) return true;
    const { authorization } = await authenticate(incoming.header, client, randomUUID());
    return authorization.roles.includes(ADMIN);
  }

  #incoming(hono: HonoContext): Incoming {
    return new Incoming((hono.env as { incoming: IncomingMessage }).incoming, this.#proxies);
  }

  /** The API description, of everything or of what lies at and below a path. */
  #describe(path = ''): JsonObject {
    const { version, describe } = this.#options;
    const root = path.replace(/^\/|\/$/g, '');
    const descriptions = describe().filter(
      (description) => root === '' || description.path === root || description.path.startsWith(`${root}/`),
    );
    return openApiDocument(descriptions, { version, basePath: BASE_PATH });
  }

  async #handle(hono: HonoContext, resources: RequestSink): Promise<Response> {
    const { observe, trustsTransactionId } = this.#options;
    const startedAt = performance.now();
    const incoming = this.#incoming(hono);
    // In order of time, since it is indexed: the entries of the audit that it makes then stand at the end of their index.
    const requestId = (trustsTransactionId ? passedOn(incoming) : undefined) ?? timeOrderedId();
    const { method, path, search } = incoming;
    const asked: Asked = {};
    let response: Response;
    let failure: JsonValue = null;
    try {
      response = await this.#answer(incoming, requestId, resources, asked);
    } catch (thrown) {
      const error = toResourceError(translateDatabaseError(thrown));
      failure = error.toJSON() as unknown as JsonValue;
      if (error.code >= 500 && error.cause !== undefined) {
        observe({ kind: 'http.failed', method, path, requestId, error: error.cause });
      }
      response = writeError(error, { prettyPrint: asksFor(search, '_prettyprint') === 'true', requestId });
      // The rest of the body is not read, so the connection cannot carry another request.
      if (error instanceof PayloadTooLargeError) response.headers.set('Connection', 'close');
    }
    const ms = performance.now() - startedAt;
    const { status } = response;
    observe({
      kind: 'http.answered',
      method,
      path,
      status,
      ms,
      requestId,
      ...answeredRequest(asked, failure, auditedMessage(incoming, response)),
    });
    return response;
  }

  async #answer(
    incoming: Incoming,
    requestId: string,
    resources: RequestSink,
    asked: Asked,
  ): Promise<Response> {
    const { header, message, method, search } = incoming;
    const client = new IncomingClient(incoming);
    const security = await this.#options.authenticate(header, client, requestId);
    asked.security = security;
    asked.client = client;
    const path = incoming.path.slice(BASE_PATH.length);
    if (asksFor(search, '_crestapi') !== undefined) return Response.json(this.#describe(path));
    const { request: asWritten, ...form } = translateRequest({
      method,
      path,
      search,
      header,
      body: await readBody(message, this.#options.bodyLimitBytes),
    });
    const request = this.#options.named(asWritten);
    asked.request = request;
    const context = rootContext({
      id: requestId,
      transactionId: requestId,
      receivedAt: Date.now(),
      security,
      client,
      http: new IncomingHttp(incoming),
    });
    const result = await resources.handle(context, request);
    return writeResponse(request, result, { ...form, base: () => incoming.origin + BASE_PATH, requestId });
  }
}

/** The transaction of another server of which the request is a part; undefined when it names none, or none that can be kept. */
function passedOn({ header }: Incoming): string | undefined {
  const id = header(TRANSACTION_HEADER);
  return id !== undefined && /^[\w.:/-]{1,200}$/.test(id) ? id : undefined;
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

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another program`,
    EACCES: `this user may not listen on port ${port}`,
    EADDRNOTAVAIL: `${host} is no address of this machine`,
  };
  const message = why[error.code ?? ''];
  if (message === undefined) return error;
  return new ActivationError([
    { id: 'HTTP_CANNOT_LISTEN', where: '', message, hint: 'set PORT (0: any that is free) or SVC_HOST' },
  ]);
}
