import { randomUUID } from 'node:crypto';
import type { createServer, IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { translateDatabaseError } from '#database/index.ts';
import { ForbiddenError, NotFoundError, type ResourceError, toResourceError } from '#errors/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { RequestSink, ResourceDescription } from '#resource/index.ts';
import { ADMIN, RateLimit, TrustedProxies } from '#security/index.ts';
import { ApiDescription } from './api-description.ts';
import { docsRoutes } from './docs-routes.ts';
import { type Health, healthRoutes } from './health.ts';
import { type Door, Incoming, IncomingClient, IncomingHttp } from './incoming.ts';
import { nodeServer } from './node-server.ts';
import { cannotListen } from './require-free-port.ts';
import { BASE_PATH, RestInterface, type RestOptions } from './rest-interface.ts';
import { writeError } from './write-response.ts';

export interface HttpServerOptions
  extends Pick<
    RestOptions,
    'answerLimitBytes' | 'authenticate' | 'bodyLimitBytes' | 'named' | 'observe' | 'trustsTransactionId'
  > {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  /** Addresses and networks whose word about callers counts. */
  readonly trustedProxies: readonly string[];
  /** The URL that clients know the server by; undefined: the address that they have connected to, if they name it. */
  readonly publicUrl: string | undefined;
  /** Requests a minute that one client may make of this node; undefined: as many as it likes. */
  readonly requestsPerMinute: number | undefined;
  /** Who sees metrics and the parts of readiness: everybody, administrators and this machine, or administrators. */
  readonly diagnostics: 'open' | 'local' | 'admin';
  /** Absent on a node that only works: it answers health checks and metrics, nothing else. */
  readonly resources: RequestSink | undefined;
  readonly health: Health;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  /** What can be asked now, for the API description. */
  readonly describe: () => readonly ResourceDescription[];
  readonly version: string;
}

/** A request that is not answered by then is given up when the server stops. */
const DRAIN_MS = 30_000;
/** A connection whose last answer left before its client could be told to close it. */
const IDLE_LOOK_MS = 250;

/** The HTTP door: the REST interface, and the pages and probes beside it. It decides nothing about resources. */
export class HttpServer implements Service {
  readonly name = 'http server';
  readonly drains = true;
  readonly #options: HttpServerOptions;
  readonly app: Hono;
  readonly #door: Door;
  readonly #description: ApiDescription;
  #rest: RestInterface | undefined;
  #server: ServerType | undefined;
  #port = 0;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { trustedProxies, publicUrl, describe, version } = options;
    this.#description = new ApiDescription(describe, { version, basePath: BASE_PATH });
    this.#door = {
      proxies: new TrustedProxies(trustedProxies),
      publicOrigin: publicUrl?.replace(/\/+$/, ''),
    };
    this.app = this.#routes();
  }

  /** What bodies of requests under way take, or may take that have not been read. */
  get bodyBytes(): number {
    return this.#rest?.bodyBytes ?? 0;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const { host, port, requestTimeoutMs, requestsPerMinute, observe } = this.#options;
    this.#rest = this.#openRest();
    const create = nodeServer({
      requestTimeoutMs,
      proxies: this.#door.proxies,
      isStopping: () => this.#server === undefined,
      rest: this.#rest,
      observe,
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
      docsRoutes(() => this.#description.textOf()),
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
    app.notFound((hono) =>
      respond(
        new NotFoundError(`There is nothing at '${this.#incoming(hono).path}'`, {
          hint: `Resources are below ${BASE_PATH}; /docs describes them`,
        }),
      ),
    );
    app.onError((thrown, hono) => {
      const error = toResourceError(translateDatabaseError(thrown));
      if (error.code >= 500) {
        const { method, path } = hono.req;
        observe({ kind: 'http.failed', method, path, requestId: '', error: thrown });
      }
      return respond(error);
    });
    return app;
  }

  /** @throws UnauthorizedError for credentials that nobody has */
  async #mayDiagnose(hono: HonoContext): Promise<boolean> {
    const { diagnostics, authenticate } = this.#options;
    if (diagnostics === 'open') return true;
    const incoming = this.#incoming(hono);
    if (diagnostics === 'local' && incoming.isLocal) return true;
    const client = new IncomingClient(incoming);
    const http = new IncomingHttp(incoming);
    const { authorization } = await authenticate(incoming.header, client, randomUUID(), http);
    return authorization.roles.includes(ADMIN);
  }

  #incoming(hono: HonoContext): Incoming {
    return new Incoming((hono.env as { incoming: IncomingMessage }).incoming, this.#door);
  }

  #openRest(): RestInterface | undefined {
    const { resources } = this.#options;
    if (resources === undefined) return undefined;
    const describe = (path: string) => this.#description.textOf(path);
    return new RestInterface({ ...this.#options, resources, describe, door: this.#door });
  }
}

function respond(error: ResourceError): Response {
  const { status, headers, body } = writeError(error);
  return new Response(body as string | null, { status, headers });
}
