import { answerTooLarge, NotFoundError, type ResourceError } from '#errors/index.ts';
import { fitsWritten, getMember, isObject, type JsonValue } from '#json/index.ts';
import {
  formatPath,
  type Resource,
  type Request as ResourceRequest,
  type Response as ResourceResponse,
  resourceBody,
} from '#resource/index.ts';

const HEADERS = { 'Content-Type': 'application/json;charset=UTF-8', 'Cache-Control': 'no-cache, no-store' };

/** An answer that has not been sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | null;
}

/** The HTTP form of a response. `base` gives the absolute URL that resource paths are appended to. */
export function writeResponse(
  request: ResourceRequest,
  response: ResourceResponse,
  options: {
    readonly base: () => string;
    readonly prettyPrint: boolean;
    readonly ifNoneMatch: string | null;
    readonly mimeType: string | null;
    readonly mostBytes: number;
  },
): Answer {
  const { base, ifNoneMatch, mimeType } = options;
  if (response.kind === 'action') return json(200, response.content, options, response.headers);
  if (response.kind === 'query') {
    const result = response.result.map(resourceBody);
    const body = {
      result,
      resultCount: response.result.length,
      pagedResultsCookie: response.pagedResultsCookie,
      totalPagedResultsPolicy: response.totalPagedResultsPolicy,
      totalPagedResults: response.totalPagedResults,
      remainingPagedResults: -1,
      ...(response.warnings === undefined ? {} : { warnings: response.warnings }),
    };
    return json(200, body, options);
  }
  const { id, revision } = response;
  const etag = revision === null ? {} : { ETag: `"${revision}"` };
  if (ifNoneMatch !== null && request.method === 'read' && ifNoneMatch === revision) {
    return json(304, null, options, etag);
  }
  if (mimeType !== null) return rawField(request, response, mimeType);
  const created = request.method === 'create' && (response.created ?? request.orUpdate !== true);
  const location =
    created && id !== null ? { Location: `${base()}/${encodePath([...request.path, id])}` } : {};
  return json(created ? 201 : 200, resourceBody(response), options, { ...location, ...etag });
}

/** One field as the body itself: text as it is, anything else decoded from base64. */
function rawField(request: ResourceRequest, { content }: Resource, mimeType: string): Answer {
  const name = request.fields[0]!.at(-1) ?? '';
  const value = isObject(content) ? getMember(content, name) : undefined;
  if (value === undefined || value === null) {
    throw new NotFoundError(`'${formatPath(request.path)}' has no field '${request.fields[0]!.join('/')}'`);
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isText = /^text\/|[/+]json(?:;|$)/.test(mimeType) || typeof value !== 'string';
  const headers = {
    'Content-Type': /^text\/(?!.*;\s*charset=)/i.test(mimeType) ? `${mimeType}; charset=utf-8` : mimeType,
    'Cache-Control': 'no-cache, no-store',
    // What somebody stored must not run as a page of this server.
    'Content-Disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
    'Content-Security-Policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
  };
  return { status: 200, headers, body: isText ? text : Buffer.from(text, 'base64') };
}

interface Form {
  readonly prettyPrint: boolean;
  /** Default: as many as there are. */
  readonly mostBytes?: number;
}

export function writeError(error: ResourceError, form: Form = { prettyPrint: false }): Answer {
  // Scripts may throw any integer; only some of them are legal HTTP statuses.
  const status = error.code >= 400 && error.code <= 599 ? error.code : 500;
  return json(status, error.toJSON(), form, retryAfter(error));
}

function retryAfter({ code, detail }: ResourceError): Record<string, string> {
  if (code === 503) return { 'Retry-After': '1' };
  const seconds =
    code === 429 ? (detail as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

export function writeJsonText(body: string): Answer {
  return { status: 200, headers: { ...HEADERS }, body };
}

function json(
  status: number,
  body: unknown,
  { prettyPrint, mostBytes }: Form,
  headers: Record<string, string> = {},
): Answer {
  const bodyless = status === 204 || status === 205 || status === 304;
  const text = bodyless ? null : textOf(body, prettyPrint, mostBytes);
  return { status, headers: { ...HEADERS, ...headers }, body: text };
}

function textOf(body: unknown, prettyPrint: boolean, mostBytes = Number.POSITIVE_INFINITY): string {
  if (Number.isFinite(mostBytes)) requireWritable(body as JsonValue, prettyPrint, mostBytes);
  const text = written(body, prettyPrint);
  if (text === undefined || text.length > mostBytes) throw answerTooLarge(mostBytes);
  return text;
}

/** Blanks multiply: what is looked at by people is smaller than what is read by programs. */
const MOST_PRETTY_BYTES = 8_388_608;
const INDENT = 2;

/** Before it is written, which takes long, and nobody else has a turn meanwhile. */
function requireWritable(body: JsonValue, prettyPrint: boolean, mostBytes: number): void {
  if (!prettyPrint) {
    if (!fitsWritten(body, mostBytes)) throw answerTooLarge(mostBytes);
    return;
  }
  const most = Math.min(mostBytes, MOST_PRETTY_BYTES);
  if (!fitsWritten(body, most, INDENT)) throw answerTooLarge(most, 'Ask for less, or without _prettyPrint');
}

/** Undefined of what has no text: there is a longest one, which blanks alone can fill. */
function written(body: unknown, prettyPrint: boolean): string | undefined {
  try {
    return JSON.stringify(body, null, prettyPrint ? INDENT : undefined);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function encodePath(path: readonly string[]): string {
  return formatPath(path)
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
}
