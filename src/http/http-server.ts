import type { Server } from 'node:http';
import type { Compat } from '#config/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { RequestSink, ResourceDescription } from '#resource/index.ts';
import { type RateLimit, TrustedProxies } from '#security/index.ts';
import { AnswerWriter, type AnswerWriterOptions } from './answer-writer.ts';
import { ApiDescription } from './api-description.ts';
import { type ConsoleOptions, consolePages } from './console/console-pages.ts';
import type { CorsFilter } from './cors.ts';
import { type Diagnostics, diagnosticsFor, metricsPages } from './diagnostics.ts';
import { fieldDialect, REST, SCIM } from './dialect.ts';
import { docsPages } from './docs-pages.ts';
import { Door } from './door.ts';
import { FIELD_NAMES, OWN_NAMES } from './header-names.ts';
import { type Health, healthPages } from './health.ts';
import type { Site } from './incoming.ts';
import { listen, urlOf } from './listen.ts';
import { RestInterface, type RestOptions } from './rest-interface.ts';
import type { Commits } from './seen-writes.ts';

export interface HttpServerOptions
  extends Pick<
    RestOptions,
    | 'answerLimitBytes'
    | 'authenticate'
    | 'bodies'
    | 'bodyLimitBytes'
    | 'events'
    | 'named'
    | 'trustsTransactionId'
  > {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How many threads listen on it. */
  readonly sharedBy?: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  /** How long a request waits for the database in all. */
  readonly requestDeadlineMs: number;
  /** Addresses and networks whose word about callers counts. */
  readonly trustedProxies: readonly string[];
  /** The URL that clients know the server by; undefined: the address that they have connected to, if they name it. */
  readonly publicUrl: string | undefined;
  /** The path below which clients find the server; empty: at the root. */
  readonly publicPath: string;
  /** Undefined unless clients of another server of the field are understood, too. */
  readonly compat?: Compat | undefined;
  /** What pages of other origins may do now. */
  readonly cors?: () => CorsFilter | undefined;
  /** How much one client may ask of this node in a minute; undefined: as much as it likes. */
  readonly rateLimit: RateLimit | undefined;
  /** What is on its way from this node. */
  readonly unsent: AnswerWriterOptions['unsent'];
  readonly diagnostics: Diagnostics;
  /** Absent on a node that only works: it answers health checks and metrics, nothing else. */
  readonly resources: RequestSink | undefined;
  /** Absent where no standby answers. */
  readonly commits?: Commits | undefined;
  /** Undefined where no console is served. */
  readonly console?: ConsoleOptions | undefined;
  readonly health: Health;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  /** What can be asked now, for the API description. */
  readonly describe: () => readonly ResourceDescription[];
  readonly version: string;
  readonly observe: Observe;
}

/** A request that is not answered by then is given up when the server stops. */
const DRAIN_MS = 30_000;
/** A connection whose last answer left before its client could be told to close it. */
const IDLE_LOOK_MS = 250;

/** The HTTP door as a service: it opens last and closes first. It decides nothing about resources. */
export class HttpServer implements Service {
  readonly name = 'http server';
  readonly drains = true;
  readonly #options: HttpServerOptions;
  readonly #rest: RestInterface | undefined;
  readonly #door: Door;
  #server: Server | undefined;
  #port = 0;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { resources, trustedProxies, publicPath, rateLimit, describe, version } = options;
    const { diagnostics, authenticate, unsent, observe, console, compat } = options;
    const description = new ApiDescription(describe, { version, basePath: publicPath + REST.base });
    const site: Site = {
      proxies: new TrustedProxies(trustedProxies),
      publicOrigin: publicOriginOf(options),
      publicPath,
      headerNames: compat === undefined ? OWN_NAMES : FIELD_NAMES,
    };
    const mayDiagnose = diagnosticsFor(diagnostics, authenticate);
    if (resources !== undefined) {
      this.#rest = new RestInterface({
        ...options,
        resources,
        describe: (path) => description.textOf(path),
      });
    }
    this.#door = new Door({
      site,
      cors: options.cors ?? (() => undefined),
      dialects: [REST, SCIM, ...(compat === undefined ? [] : [fieldDialect(compat)])],
      rateLimit,
      rest: this.#rest,
      pages: {
        ...healthPages(options.health, mayDiagnose),
        ...docsPages(() => description.textOf()),
        ...metricsPages(options.metrics, mayDiagnose),
      },
      further: resources === undefined || console === undefined ? () => undefined : consolePages(console),
      writer: new AnswerWriter({ unsent, isStopping: () => this.#server === undefined }),
      deadlineMs: options.requestDeadlineMs,
      observe,
    });
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const { server, port } = await listen(this.#door, this.#options);
    this.#server = server;
    this.#port = port;
  }

  /**
   * Takes no new connections and waits for the requests under way. Whoever keeps a connection is told to close it with
   * the next answer: a client that is busy would keep the server up for ever.
   */
  async stop(): Promise<void> {
    const server = this.#server;
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

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return urlOf(this.#options.host, this.#port);
  }
}

/** A URL without a path is that of the host. */
function publicOriginOf({ publicUrl, publicPath }: HttpServerOptions): string | undefined {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  return url === null ? undefined : url.origin + publicPath;
}
