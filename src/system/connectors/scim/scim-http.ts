import { readFileSync } from 'node:fs';
import {
  ConnectorError,
  type ConnectorErrorKind,
  type ConnectorHost,
  type HttpResponse,
} from '../../contract.ts';
import type { ScimConfiguration } from './scim-configuration.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ScimAnswer {
  readonly status: number;
  readonly body: Json;
  readonly etag: string | undefined;
}

/** What a status means; 2xx is none. */
const KINDS: Readonly<Record<number, ConnectorErrorKind>> = {
  400: 'invalid',
  401: 'invalidCredentials',
  403: 'denied',
  404: 'notFound',
  405: 'notSupported',
  408: 'timeout',
  409: 'alreadyExists',
  412: 'conflict',
  413: 'invalid',
  422: 'invalid',
  428: 'conflict',
  429: 'throttled',
  501: 'notSupported',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};
const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];
const MEDIA_TYPE = 'application/scim+json';
/** The most values of one answer, such as those of a group of half a million: each takes some ten times the room of its text. */
const MOST_VALUES = 2_500_000;
/** A token is asked for anew so long before it ends. */
const EARLY_MS = 30_000;

/** A service of SCIM over HTTP, logged in. */
export class ScimHttp {
  readonly #configuration: ScimConfiguration;
  readonly #host: ConnectorHost;
  readonly #base: string;
  readonly #ca: string | undefined;
  #token: { readonly text: string; readonly untilMs: number } | undefined;

  constructor(configuration: ScimConfiguration, host: ConnectorHost) {
    this.#configuration = configuration;
    this.#host = host;
    this.#base = configuration.SCIMEndpoint.replace(/\/$/, '');
    const { caFile } = configuration;
    this.#ca = caFile === undefined ? undefined : certificatesIn(host.resolveFile(caFile));
  }

  /** @param path below the endpoint @throws ConnectorError */
  async ask(
    method: string,
    path: string,
    {
      signal,
      body,
      headers = {},
    }: { signal: AbortSignal; body?: Json; headers?: Readonly<Record<string, string>> },
  ): Promise<ScimAnswer> {
    const send = async () =>
      this.#host.request({
        method,
        url: `${this.#base}${path}`,
        headers: {
          Accept: MEDIA_TYPE,
          ...(body === undefined ? {} : { 'Content-Type': MEDIA_TYPE }),
          ...(await this.#login(signal)),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
        ca: this.#ca,
      });
    let response = await send();
    if (response.status === 401 && this.#token !== undefined) {
      this.#token = undefined;
      response = await send();
    }
    const answer = readJson(response);
    if (response.status >= 200 && response.status < 300) {
      const { etag } = response.headers;
      return {
        status: response.status,
        body: answer ?? {},
        etag: typeof etag === 'string' ? etag : undefined,
      };
    }
    throw this.#refused(response, answer ?? {});
  }

  async #login(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { authenticationMethod, authToken, user = '', password } = this.#configuration;
    switch (authenticationMethod.toUpperCase()) {
      case 'TOKEN':
        return { Authorization: `Bearer ${authToken?.reveal() ?? ''}` };
      case 'BASIC':
        return {
          Authorization: `Basic ${Buffer.from(`${user}:${password?.reveal() ?? ''}`).toString('base64')}`,
        };
      case 'OAUTH':
        return { Authorization: `Bearer ${await this.#tokenOf(signal)}` };
      default:
        return {};
    }
  }

  /** Gets a token by client credentials (RFC 6749, 4.4). */
  async #tokenOf(signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined && this.#token.untilMs > this.#host.now()) return this.#token.text;
    const { tokenEndpoint = '', clientId = '', clientSecret, scope } = this.#configuration;
    const credentials = [clientId, clientSecret?.reveal() ?? ''].map(encodeURIComponent).join(':');
    const response = await this.#host.request({
      method: 'POST',
      url: tokenEndpoint,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scope === undefined ? {} : { scope }),
      }).toString(),
      signal,
      ca: this.#ca,
    });
    const { access_token: text, expires_in: seconds } = readJson(response) ?? {};
    if (response.status === 200 && typeof text === 'string') {
      const lastsMs = typeof seconds === 'number' ? seconds * 1000 - EARLY_MS : 0;
      this.#token = { text, untilMs: this.#host.now() + lastsMs };
      return text;
    }
    const kind =
      response.status === 401 || response.status === 400 ? 'invalidCredentials' : KINDS[response.status];
    throw new ConnectorError(kind ?? 'protocol', `The tokenEndpoint answered ${response.status}`, {
      nativeCode: String(response.status),
    });
  }

  #refused({ status, headers }: HttpResponse, { detail, scimType }: Json): ConnectorError {
    const kind = scimType === 'uniqueness' ? 'alreadyExists' : (KINDS[status] ?? 'protocol');
    const seconds = Number(headers['retry-after']);
    const words =
      typeof detail === 'string' && detail !== '' ? detail.slice(0, 500) : `It answered ${status}`;
    return new ConnectorError(kind, words, {
      nativeCode: typeof scimType === 'string' ? `${status} ${scimType}` : String(status),
      ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
    });
  }
}

/** @throws ConnectorError `protocol` */
function readJson({ status, body }: HttpResponse): Json | undefined {
  if (body.trim() === '') return undefined;
  if (mostValuesIn(body) > MOST_VALUES) {
    throw new ConnectorError('protocol', `One answer has more than ${MOST_VALUES} values`);
  }
  try {
    const read: unknown = JSON.parse(body);
    if (isJson(read)) return read;
  } catch {
    // Proxies and load balancers have words of their own for what is wrong.
    if (status >= 300) return undefined;
  }
  throw new ConnectorError('protocol', `What was answered is no SCIM: ${body.slice(0, 100)}`, {
    nativeCode: String(status),
  });
}

/** How many values there may be, before they are made: each but the first follows a sign that begins an object or a list, or a comma. */
function mostValuesIn(json: string): number {
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) values++;
  }
  return values;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function certificatesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConnectorError('misconfigured', `'${path}' cannot be read`, { cause: error });
  }
}
