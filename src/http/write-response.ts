import type { ServerResponse } from 'node:http';
import { NotFoundError, type ResourceError } from '#errors/index.ts';
import { getMember, isObject } from '#json/index.ts';
import {
  formatPath,
  type Resource,
  type Request as ResourceRequest,
  type Response as ResourceResponse,
  resourceBody,
} from '#resource/index.ts';
import { type TextForm, textOf } from './json-text.ts';
import { pageText } from './page-text.ts';
import { unfitMimeType } from './unfit-mime-type.ts';

const HEADERS = { 'Content-Type': 'application/json;charset=UTF-8', 'Cache-Control': 'no-cache, no-store' };

/** An answer that has not been sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | null;
  /** What is written behind the headers, until one side ends it. */
  readonly stream?: (outgoing: ServerResponse) => void;
}

/** How a response is wanted. */
export interface AnswerForm {
  /** The absolute URL that resource paths are appended to. */
  readonly base: () => string;
  readonly prettyPrint: boolean;
  readonly ifNoneMatch: string | null;
  readonly mimeType: string | null;
  readonly mostBytes: number;
}

/** The HTTP form of a response. */
export async function writeResponse(
  request: ResourceRequest,
  response: ResourceResponse,
  options: AnswerForm,
): Promise<Answer> {
  const { base, ifNoneMatch, mimeType } = options;
  if (response.kind === 'action') return json(200, response.content, options, response.headers);
  if (response.kind === 'query') {
    return { status: 200, headers: { ...HEADERS }, body: await pageText(response, options) };
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
function rawField(request: ResourceRequest, { content, fieldsSelected }: Resource, mimeType: string): Answer {
  const only = fieldsSelected === true && isObject(content) ? Object.keys(content) : [];
  const field = request.fields[0] ?? (only.length === 1 ? only : undefined);
  if (field === undefined) throw unfitMimeType(mimeType);
  const name = field.at(-1) ?? '';
  const value = isObject(content) ? getMember(content, name) : undefined;
  if (value === undefined || value === null) {
    throw new NotFoundError(`'${formatPath(request.path)}' has no field '${field.join('/')}'`);
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

export function writeError(error: ResourceError, form: TextForm = { prettyPrint: false }): Answer {
  // Scripts may throw any integer; only some of them are legal HTTP statuses.
  const status = error.code >= 400 && error.code <= 599 ? error.code : 500;
  return json(status, error.toJSON(), form, retryAfter(error));
}

export function retryAfter({ code, detail }: ResourceError): Record<string, string> {
  if (code === 503) return { 'Retry-After': '1' };
  const seconds = code === 429 && isObject(detail) ? detail['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {};
}

export function writeJsonText(body: string): Answer {
  return { status: 200, headers: { ...HEADERS }, body };
}

function json(status: number, body: unknown, form: TextForm, headers: Record<string, string> = {}): Answer {
  const bodyless = status === 204 || status === 205 || status === 304;
  const text = bodyless ? null : textOf(body, form);
  return { status, headers: { ...HEADERS, ...headers }, body: text };
}

function encodePath(path: readonly string[]): string {
  return formatPath(path)
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
}
