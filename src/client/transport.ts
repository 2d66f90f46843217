import {
  type ErrorBody,
  errorOf,
  NeedsReauthenticationError,
  SvcError,
  UnreachableError,
} from './client-error.ts';

/**
 * Who asks. A token may be a function, which is called for each request, so that it can be renewed; `session` is the cookie
 * that a browser has, `cookie` one that a program has got at its login, as `name=value`.
 */
export type Auth =
  | { readonly user: string; readonly password: string }
  | { readonly apiKey: string }
  | { readonly token: string | (() => string | Promise<string>) }
  | { readonly cookie: string }
  | 'session';

export interface TransportOptions {
  /** The URL of a node or of what stands before it, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly auth?: Auth;
  readonly fetch?: typeof globalThis.fetch;
  /** Asked for the password when a change needs it once more; the change is then sent again. */
  readonly reauthenticate?: () => string | Promise<string>;
}

/** A request in the words of REST. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The parts of the path, not encoded. */
  readonly path: readonly string[];
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Ids of errors with which the server turns requests away before it looks at what they ask for. */
const AT_THE_DOOR: ReadonlySet<string | undefined> = new Set([
  'AUTH_BUSY',
  'HTTP_BODIES_CROWDED',
  'HTTP_PIPELINE_CROWDED',
  'HTTP_RATE_LIMIT',
]);
const MOST_TRIES = 4;
const LONGEST_WAIT_SECONDS = 10;

/** Sends requests and reads answers. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: string;

  /** @throws TypeError for a URL that is none */
  constructor(options: TransportOptions) {
    this.#options = options;
    const { origin, pathname } = new URL(options.url);
    this.#base = `${origin}${pathname.replace(/(?:\/svc)?\/*$/, '')}/svc`;
  }

  /**
   * @throws SvcError as its subclasses say, UnreachableError where there is no answer
   *
   * A read that is answered with 503 and `Retry-After` is sent again, and so is anything that was turned away at the door,
   * which the id of the error says; no other write is, because some have an effect before they fail.
   */
  async send<T>(call: Call): Promise<T> {
    try {
      return await this.#sendPatiently(call, {});
    } catch (error) {
      const { reauthenticate } = this.#options;
      if (!(error instanceof NeedsReauthenticationError) || reauthenticate === undefined) throw error;
      return await this.#sendPatiently(call, { 'X-Svc-Reauth-Password': await reauthenticate() });
    }
  }

  /** An answer that goes on, such as a stream of events. @throws as `send` */
  async open(call: Call): Promise<Response> {
    const response = await this.#fetch(call, {});
    return response.ok ? response : this.#read(response);
  }

  async #sendPatiently<T>(call: Call, headers: Readonly<Record<string, string>>): Promise<T> {
    for (let left = MOST_TRIES; ; left--) {
      const response = await this.#fetch(call, headers);
      const wait = Number(response.headers.get('Retry-After') ?? Number.NaN);
      try {
        return await this.#read(response);
      } catch (error) {
        const isLater = wait >= 0 && wait <= LONGEST_WAIT_SECONDS && left > 1;
        if (!isLater || !(error instanceof SvcError) || !mayComeAgain(call, error)) throw error;
      }
      await pause(wait * 1_000, call.signal);
    }
  }

  async #fetch(call: Call, headers: Readonly<Record<string, string>>): Promise<Response> {
    const { auth, fetch = globalThis.fetch } = this.#options;
    const { method, path, parameters = {}, body, signal } = call;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) search.set(name, value);
    }
    const url = `${this.#base}/${path.map(segment).join('/')}${search.size === 0 ? '' : `?${search}`}`;
    const init: RequestInit = {
      method,
      headers: {
        // What scripts of our own pages can send, and links of others cannot.
        'X-Requested-With': 'svc-client',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(await credentialsOf(auth)),
        ...call.headers,
        ...headers,
      },
      // Wherever a redirect led, the credentials would go along.
      redirect: 'error',
      ...(auth === 'session' ? {} : { credentials: 'omit' as const }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      return await fetch(url, init);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new UnreachableError(`${this.#base} does not answer: ${causeOf(error)}`, { cause: error });
    }
  }

  async #read<T>(response: Response): Promise<T> {
    const { ok, status, statusText, headers } = response;
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw new UnreachableError(`${this.#base} ended its answer early: ${causeOf(error)}`, { cause: error });
    }
    const requestId = headers.get('X-Request-Id') ?? undefined;
    if (ok) {
      if (!isJson(headers))
        throw new UnreachableError(`${this.#base} is not this server: it answers no JSON`);
      return JSON.parse(text);
    }
    throw errorOf(errorBody(text, status, statusText), requestId);
  }
}

function mayComeAgain({ method }: Call, { code, id }: SvcError): boolean {
  return AT_THE_DOOR.has(id) || (method === 'GET' && code === 503);
}

/** An error may be of a proxy, and then in words of its own. */
function errorBody(text: string, code: number, reason: string): ErrorBody {
  const plain = { code, reason, message: `${code} ${reason}`.trim() };
  try {
    const body: unknown = JSON.parse(text);
    return isErrorBody(body) ? body : plain;
  } catch {
    return plain;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

function isJson(headers: Headers): boolean {
  return /[/+]json\b/.test(headers.get('Content-Type') ?? '');
}

/** A dot as a segment would make another path of it, of more than was meant. */
function segment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text);
  throw new TypeError(`'${text}' is no part of a path`);
}

async function credentialsOf(auth: Auth | undefined): Promise<Record<string, string>> {
  if (auth === undefined || auth === 'session') return {};
  if ('apiKey' in auth) return { 'X-Svc-Api-Key': auth.apiKey };
  if ('token' in auth) {
    return {
      Authorization: `Bearer ${typeof auth.token === 'function' ? await auth.token() : auth.token}`,
    };
  }
  if ('cookie' in auth) return { Cookie: auth.cookie };
  return { 'X-Svc-Username': extended(auth.user), 'X-Svc-Password': extended(auth.password) };
}

/** RFC 5987: a header carries no other letters than those of Latin-1. */
function extended(text: string): string {
  return `UTF-8''${encodeURIComponent(text)}`;
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
