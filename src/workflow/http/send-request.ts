import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP } from 'node:net';
import { BadRequestError, ResourceError, ServiceUnavailableError, TimeoutError } from '#errors/index.ts';
import type { AddressGuard } from './address-guard.ts';

const MAX_REDIRECTS = 5;
const MAX_BODY_BYTES = 5_000_000;
/** Must not follow a request to another place. */
const PERSONAL = new Set(['authorization', 'cookie', 'proxy-authorization']);

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly followsRedirects: boolean;
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
 * @throws BadRequestError `WORKFLOW_HTTP_URL`, InternalServerError `WORKFLOW_HTTP_DENIED`, TimeoutError,
 *   ServiceUnavailableError `WORKFLOW_HTTP_FAILED`
 */
export async function sendRequest(request: OutgoingRequest, guard: AddressGuard): Promise<IncomingResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  let current = request;
  for (let redirects = 0; ; redirects++) {
    const url = readUrl(current.url, guard);
    const response = await exchange(current, url, guard, signal).catch((error: unknown) => {
      throw explain(error, request, signal);
    });
    const { location } = response.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== undefined;
    if (!isRedirect || !request.followsRedirects) return response;
    if (redirects === MAX_REDIRECTS) {
      throw new ServiceUnavailableError(`'${request.url}' redirects more than ${MAX_REDIRECTS} times`, {
        id: 'WORKFLOW_HTTP_FAILED',
      });
    }
    current = redirected(current, response.status, url, new URL(location, url));
  }
}

/** An address that is written as such is never looked up, so it is checked here. */
function readUrl(text: string, guard: AddressGuard): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new BadRequestError(`'${text.slice(0, 200)}' is no http or https address`, {
      id: 'WORKFLOW_HTTP_URL',
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
      (from.origin === to.origin || !PERSONAL.has(name.toLowerCase())) &&
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
  { method, headers, body }: OutgoingRequest,
  url: URL,
  { lookup }: AddressGuard,
  signal: AbortSignal,
): Promise<IncomingResponse> {
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(url, { method, headers, lookup, signal, agent: false }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
  return {
    status: message.statusCode ?? 0,
    reason: message.statusMessage ?? '',
    protocol: `HTTP/${message.httpVersion}`,
    headers: message.headers,
    body: await readBody(message),
  };
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      message.destroy();
      throw new ServiceUnavailableError(`The answer has more than ${MAX_BODY_BYTES} bytes`, {
        id: 'WORKFLOW_HTTP_FAILED',
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

function explain(error: unknown, { url, timeoutMs }: OutgoingRequest, signal: AbortSignal): unknown {
  if (signal.aborted) {
    return new TimeoutError(`'${url}' did not answer within ${timeoutMs} ms`, {
      id: 'WORKFLOW_HTTP_TIMEOUT',
    });
  }
  if (!(error instanceof Error) || error instanceof ResourceError) return error;
  return new ServiceUnavailableError(`'${url}' could not be reached: ${error.message}`, {
    id: 'WORKFLOW_HTTP_FAILED',
    cause: error,
  });
}
