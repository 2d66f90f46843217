import { readFileSync } from 'node:fs';
import {
  ConnectorError,
  type ConnectorErrorKind,
  type ConnectorHost,
  type HttpResponse,
  type Json,
  shownAddress,
} from '../../contract.ts';
import type { ScriptedConfiguration } from './scripted-configuration.ts';
import { isJsonObject, type JsonObject, type SecretWords, shownJson } from './scripted-values.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const MOST_HEADERS = 50;
/** How many requests one call of a function may send. */
const MOST_REQUESTS = 100;
/** The most characters of what is sent, and of what comes back: a script has room for some of these. */
const MOST_CHARACTERS = 8_000_000;
/** A token is asked for anew so long before it ends. */
const EARLY_MS = 30_000;
/** What is shorter stands in many a text that tells nothing. */
const LEAST_SECRET = 6;

/** A request as it goes out, but for the credentials of the system. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whoever logs in for somebody does it without the credentials of the system. */
  readonly isOwn: boolean;
}

/** What scripts of one system ask over HTTP: where they may, with the credentials of the system, which they never see. */
export class ScriptedHttp {
  readonly #configuration: ScriptedConfiguration;
  readonly #host: ConnectorHost;
  readonly #ca: string | undefined;
  #token: { readonly text: string; readonly untilMs: number } | undefined;

  constructor(configuration: ScriptedConfiguration, host: ConnectorHost) {
    this.#configuration = configuration;
    this.#host = host;
    const { caFile } = configuration;
    this.#ca = caFile === undefined ? undefined : certificatesIn(host.resolveFile(caFile));
  }

  /** @returns what answers the requests of one call of a function */
  requests(words: SecretWords, signal: AbortSignal): (given: Json) => Promise<Json> {
    let count = 0;
    return async (given) => {
      count += 1;
      if (count > MOST_REQUESTS) throw refuse(`One call makes ${MOST_REQUESTS} requests at most`);
      return this.#ask(this.#read(given, words), signal);
    };
  }

  #read(given: Json, words: SecretWords): Asked {
    if (!isJsonObject(given)) throw refuse(`http.request takes {method, url, headers, body}`);
    const { method = 'GET', url = '', headers = {}, body = null, login = null } = given;
    if (typeof method !== 'string' || !METHODS.has(method.toUpperCase())) {
      throw refuse(`The method of a request cannot be ${shownJson(method)}`);
    }
    if (body !== null && typeof body !== 'string') throw refuse('The body of a request must be a text');
    if (body !== null && body.length > MOST_CHARACTERS) {
      throw refuse(`The body of a request has more than ${MOST_CHARACTERS} characters`);
    }
    const place = this.#placeOf(url);
    if (words.hasIn(place.href))
      throw refuse('Secrets stand in the body or in headers, and not in an address');
    const own = readHeaders(headers);
    const type = Object.entries(own).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    return {
      method: method.toUpperCase(),
      url: place.href,
      headers: {
        ...Object.fromEntries(
          Object.entries(own).map(([name, value]) => [name, words.reveal(value, withoutBreaks)]),
        ),
        ...loginOf(login, words),
      },
      body: body === null ? null : words.reveal(body, writtenIn(type)),
      isOwn: login !== null,
    };
  }

  async #ask({ isOwn, headers, ...request }: Asked, signal: AbortSignal): Promise<Json> {
    const send = async () => {
      const login = isOwn ? {} : await this.#login(signal);
      const forbidden = Object.keys(headers).find((name) =>
        Object.keys(login).some((one) => one.toLowerCase() === name.toLowerCase()),
      );
      if (forbidden !== undefined) {
        throw refuse(
          `The header '${forbidden}' is that of the credentials of the system, and added to each request`,
        );
      }
      return this.#host.request({ ...request, headers: { ...headers, ...login }, signal, ca: this.#ca });
    };
    let response = await send();
    if (response.status === 401 && this.#token !== undefined && !isOwn) {
      this.#token = undefined;
      response = await send();
    }
    if (response.body.length > MOST_CHARACTERS) {
      throw new ConnectorError('protocol', `An answer has more than ${MOST_CHARACTERS} characters`);
    }
    return {
      status: response.status,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]): [string, Json] => [
          name,
          this.#withoutCredentials([value ?? ''].flat().join(', ')),
        ]),
      ),
      body: this.#withoutCredentials(response.body),
    };
  }

  /** @throws ConnectorError `denied` for what lies outside of `allow` */
  #placeOf(given: Json): URL {
    const { allow } = this.#configuration;
    const [first = ''] = allow;
    const text = typeof given === 'string' ? given : '';
    const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(text);
    const base = first.endsWith('/') ? first : `${first}/`;
    const joined = isWhole ? text : `${base}${text.startsWith('/') ? text.slice(1) : text}`;
    const url = URL.parse(joined);
    if (typeof given !== 'string' || url === null) {
      const shown = typeof given === 'string' ? `'${shownAddress(given)}'` : shownJson(given);
      throw refuse(`${shown} is no address`);
    }
    const isAllowed = allow.some((place) => {
      const { origin, pathname } = new URL(place);
      const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
      return url.origin === origin && (url.pathname === pathname || url.pathname.startsWith(folder));
    });
    if (isAllowed && url.username === '' && url.password === '') return url;
    throw new ConnectorError(
      'misconfigured',
      `A request to '${url.origin}${url.pathname}' is not allowed: 'allow' of the system has ${allow.join(', ')}`,
    );
  }

  async #login(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { authenticationMethod, authToken, headerName = '', user = '', password } = this.#configuration;
    switch (authenticationMethod.toUpperCase()) {
      case 'TOKEN':
        return { Authorization: `Bearer ${authToken?.reveal() ?? ''}` };
      case 'HEADER':
        return { [headerName]: authToken?.reveal() ?? '' };
      case 'BASIC':
        return { Authorization: basic(user, password?.reveal() ?? '') };
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
    const { status, body } = await this.#host.request({
      method: 'POST',
      url: tokenEndpoint,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        Authorization: basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret?.reveal() ?? '')),
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scope === undefined ? {} : { scope }),
      }).toString(),
      signal,
      ca: this.#ca,
    });
    const { access_token: text, expires_in: seconds } = readToken(body);
    if (status === 200 && typeof text === 'string') {
      const lastsMs = typeof seconds === 'number' ? seconds * 1000 - EARLY_MS : 0;
      this.#token = { text, untilMs: this.#host.now() + lastsMs };
      return text;
    }
    const kind: ConnectorErrorKind =
      status === 400 || status === 401 ? 'invalidCredentials' : status >= 500 ? 'unavailable' : 'protocol';
    throw new ConnectorError(kind, `The tokenEndpoint answered ${status}`, { nativeCode: String(status) });
  }

  /** A service that repeats what it was sent must not tell it to the script. */
  #withoutCredentials(text: string): string {
    const { authToken, password, clientSecret, user = '' } = this.#configuration;
    const secrets = [authToken, password, clientSecret].flatMap((secret) => secret?.reveal() ?? []);
    const encoded = password === undefined ? [] : [basic(user, password.reveal()).slice('Basic '.length)];
    return [...secrets, ...encoded, ...(this.#token === undefined ? [] : [this.#token.text])]
      .filter((secret) => secret.length >= LEAST_SECRET)
      .reduce((all, secret) => (all.includes(secret) ? all.replaceAll(secret, '***') : all), text);
  }
}

function loginOf(login: Json, words: SecretWords): Readonly<Record<string, string>> {
  if (login === null) return {};
  const { name = null, password = null } = isJsonObject(login) ? login : {};
  if (typeof name !== 'string' || typeof password !== 'string') throw refuse('login takes {name, password}');
  return {
    Authorization: basic(
      name,
      words.reveal(password, (secret) => secret),
    ),
  };
}

function readHeaders(given: Json): Readonly<Record<string, string>> {
  if (!isJsonObject(given)) throw refuse('The headers of a request must be an object');
  const headers = Object.entries(given);
  if (headers.length > MOST_HEADERS) throw refuse(`A request has ${MOST_HEADERS} headers at most`);
  return Object.fromEntries(
    headers.map(([name, value]) => {
      const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '\n';
      if (!/^[A-Za-z0-9-]{1,100}$/.test(name)) throw refuse(`'${name.slice(0, 100)}' is no name of a header`);
      if (/^(?:host|content-length|transfer-encoding|connection)$/i.test(name)) {
        throw refuse(`The header '${name}' is the server's`);
      }
      if (text !== withoutBreaks(text)) throw refuse(`The header '${name}' must be a text of one line`);
      return [name, text];
    }),
  );
}

/** A word of a secret is replaced by the secret as it is written in a body of this type. */
function writtenIn(type: string): (secret: string) => string {
  if (/[/+]json\b/i.test(type)) return (secret) => JSON.stringify(secret).slice(1, -1);
  if (/form-urlencoded/i.test(type)) return encodeURIComponent;
  if (/[/+]xml\b/i.test(type)) {
    return (secret) => secret.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
  }
  return (secret) => secret;
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, '');
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

function readToken(body: HttpResponse['body']): JsonObject {
  try {
    const read: Json = JSON.parse(body);
    return isJsonObject(read) ? read : {};
  } catch {
    return {};
  }
}

function refuse(message: string): ConnectorError {
  return new ConnectorError('misconfigured', message);
}

function certificatesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConnectorError('misconfigured', `'${path}' cannot be read`, { cause: error });
  }
}
