import type { IncomingMessage } from 'node:http';
import { BadRequestError, ResourceError } from '#errors/index.ts';
import { type HeaderNames, ownNameOf } from './header-names.ts';

const MOST_URL_CHARACTERS = 16_384;
const MOST_HEADERS = 100;

/** Headers that mean two things when they come twice, to us and to a proxy in front. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'x-svc-username',
  'x-svc-password',
  'x-svc-reauth-password',
  'x-svc-api-key',
  'x-http-method-override',
]);

/** A segment `.` or `..`, also percent-encoded: whoever reads it after a proxy may arrive elsewhere. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Why a request is not even looked at; undefined for a sound one.
 *
 * @param names other names of headers: one that comes by both of its names comes twice
 */
export function refuseMessage(message: IncomingMessage, names: HeaderNames): ResourceError | undefined {
  const { url = '/', headers, rawHeaders, httpVersion } = message;
  if (url.length > MOST_URL_CHARACTERS) {
    return new ResourceError(414, `The URL is longer than ${MOST_URL_CHARACTERS} characters`, {
      id: 'HTTP_URL_TOO_LONG',
      hint: 'Send a long query as the body of an action, or ask for less at once',
    });
  }
  if (rawHeaders.length / 2 > MOST_HEADERS) {
    return new ResourceError(431, `The request has more than ${MOST_HEADERS} headers`, {
      id: 'HTTP_HEADERS',
    });
  }
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = ownNameOf(rawHeaders[at]?.toLowerCase() ?? '', names);
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) {
      return new BadRequestError(`The header '${name}' comes twice`, { id: 'HTTP_HEADER_TWICE' });
    }
    seen.add(name);
  }
  const { host, expect, 'transfer-encoding': encoding } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new ResourceError(417, `The header 'Expect' says '${expect.slice(0, 100)}'`, {
      id: 'HTTP_EXPECTATION',
      hint: "Leave it away, or send '100-continue'",
    });
  }
  // What is coded in another way, or in any by a client of HTTP/1.0, ends elsewhere for a proxy in front.
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return new BadRequestError(
      `The Transfer-Encoding is '${encoding.slice(0, 100)}' in HTTP/${httpVersion}`,
      {
        id: 'HTTP_TRANSFER_ENCODING',
        hint: "Only 'chunked' is known, and only in HTTP/1.1",
      },
    );
  }
  if (host === undefined ? httpVersion !== '1.0' : host !== '' && !isHost(host)) {
    return new BadRequestError('The Host header is missing or no host', { id: 'HTTP_HOST' });
  }
  if (!isTarget(url)) {
    return new BadRequestError('The path of the URL cannot be read', {
      id: 'HTTP_PATH',
      hint: "Without segments '.' and '..', backslashes and control characters; percent-encoded as UTF-8",
    });
  }
  if (!isUtf8Encoded(url)) {
    return new BadRequestError('The parameters of the URL are not UTF-8', {
      id: 'HTTP_NOT_UTF8',
      hint: 'Percent-encode each byte beyond ASCII, of texts in UTF-8',
    });
  }
  return undefined;
}

/** What is encoded but no text would be read as question marks; a stray percent sign is one. */
function isUtf8Encoded(url: string): boolean {
  if (/[\u0080-\u00ff]/.test(url)) return false;
  return (url.match(/(?:%[\da-f]{2})+/gi) ?? []).every((bytes) => {
    try {
      return decodeURIComponent(bytes) !== '';
    } catch {
      return false;
    }
  });
}

/** Nearly all requests of a server name the same one. */
let lastHost: string | undefined;

function isHost(host: string): boolean {
  if (host === lastHost) return true;
  const parsed = URL.parse(`http://${host}`);
  if (parsed === null || parsed.username !== '' || /[\s/?#@\\]/.test(host)) return false;
  lastHost = host;
  return true;
}

/** Nearly all targets are such: no segment that begins with a dot, nothing encoded. */
const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)+\/?(?:\?|$)/;

function isTarget(url: string): boolean {
  if (PLAIN_PATH.test(url)) return true;
  const absolute = url.startsWith('/') ? undefined : URL.parse(url);
  if (absolute === null || (absolute !== undefined && !/^https?:$/.test(absolute.protocol))) return false;
  const path = url.replace(/\?.*/s, '');
  if (path.includes('\\') || path.includes('#') || DOT_SEGMENT.test(path)) return false;
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    return !/[\u0000-\u001f\u007f]/.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
