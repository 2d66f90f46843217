import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BadRequestError, ResourceError, ServiceUnavailableError, TimeoutError } from '#errors/index.ts';
import { shownAddress } from '#json/index.ts';
import type { AddressGuard } from './address-guard.ts';

const MAX_REDIRECTS = 5;
const MAX_BODY_BYTES = 5_000_000;
/** What follows a request to another place; any other header may be a key that is meant for the first. */
const IMPERSONAL = new Set(['accept', 'accept-language', 'content-type', 'content-language', 'user-agent']);

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly followsRedirects: boolean;
  /** Default 5,000,000. */
  readonly maxBytes?: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** Certificates that are trusted, PEM, instead of those of Node. */
  readonly ca?: string;
}

export interface IncomingResponse {
  readonly status: number;
  readonly reason: string;
  readonly protocol: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends a request to where the guard lets it; each redirect is looked at again.
 *
 * @throws BadRequestError `<area>_URL`, what the guard throws, TimeoutError `<area>_TIMEOUT`, ServiceUnavailableError
 *   `<area>_FAILED`, by the guard's area
 */
export async function sendRequest(request: OutgoingRequest, guard: AddressGuard): Promise<IncomingResponse> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  let current = request;
  for (let redirects = 0; ; redirects++) {
    const url = readUrl(current.url, guard);
    const response = await exchange(current, url, guard, signal).catch((error: unknown) => {
      throw explain(error, request, guard, signal);
    });
    const { location } = response.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== undefined;
    if (!isRedirect || !request.followsRedirects) return response;
    if (redirects === MAX_REDIRECTS) {
      throw new ServiceUnavailableError(
        `'${shownAddress(request.url)}' redirects more than ${MAX_REDIRECTS} times`,
        { id: `${guard.area}_FAILED` },
      );
    }
    const target = URL.parse(location, url.href);
    if (target === null) {
      throw new ServiceUnavailableError(
        `'${shownAddress(current.url)}' redirects to '${shownAddress(location)}', which is no address`,
        { id: `${guard.area}_FAILED` },
      );
    }
    current = redirected(current, response.status, url, target);
  }
}

/** An address that is written as such is never looked up, so it is checked here. */
function readUrl(text: string, guard: AddressGuard): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new BadRequestError(`'${shownAddress(text)}' is no http or https address`, {
      id: `${guard.area}_URL`,
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) guard.check(host, host);
  return url;
}

function redirected(request: OutgoingRequest, status: number, from: URL, to: URL): OutgoingRequest {
  const keepsMethod =
    status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
  const headers = Object.entries(request.headers).filter(
    ([name]) =>
      (from.origin === to.origin || IMPERSONAL.has(name.toLowerCase())) &&
      (keepsMethod || !name.toLowerCase().startsWith('content-')),
  );
  return {
    ...request,
    url: to.href,
    headers: Object.fromEntries(headers),
    ...(keepsMethod ? {} : { method: 'GET', body: null }),
  };
}

async function exchange(
  { method, headers, body, maxBytes, ca }: OutgoingRequest,
  url: URL,
  { lookup, area }: AddressGuard,
  signal: AbortSignal,
): Promise<IncomingResponse> {
  // Loaded here, because most threads never send one; an import of `node:http` loads `fetch` as well.
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(
      url,
      { method, headers, lookup, signal, agent: false, ...(ca === undefined ? {} : { ca }) },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
  return {
    status: message.statusCode ?? 0,
    reason: message.statusMessage ?? '',
    protocol: `HTTP/${message.httpVersion}`,
    headers: message.headers,
    body: await readBody(message, area, maxBytes),
  };
}

async function readBody(message: IncomingMessage, area: string, maxBytes = MAX_BODY_BYTES): Promise<string> {
  const arriving: AsyncIterable<Buffer> = message;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of arriving) {
    length += chunk.length;
    if (length > maxBytes) {
      message.destroy();
      throw new ServiceUnavailableError(`The answer has more than ${maxBytes} bytes`, {
        id: `${area}_FAILED`,
      });
    }
    chunks.push(chunk);
  }
  const [, charset] = /charset="?([\w-]+)/i.exec(message.headers['content-type'] ?? '') ?? [];
  return decoderFor(charset).decode(Buffer.concat(chunks));
}

function decoderFor(charset = 'utf-8') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function explain(
  error: unknown,
  { url, timeoutMs }: OutgoingRequest,
  { area }: AddressGuard,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) {
    return new TimeoutError(`'${shownAddress(url)}' did not answer within ${timeoutMs} ms`, {
      id: `${area}_TIMEOUT`,
    });
  }
  if (!(error instanceof Error) || error instanceof ResourceError) return error;
  return new ServiceUnavailableError(`'${shownAddress(url)}' could not be reached: ${error.message}`, {
    id: `${area}_FAILED`,
    cause: error,
  });
}
