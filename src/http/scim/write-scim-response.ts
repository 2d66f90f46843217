import type { ResourceError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { Request, Response } from '#resource/index.ts';
import { scimErrorBody, statusOf } from '#scim/index.ts';
import { textOf } from '../json-text.ts';
import { type Answer, type AnswerForm, retryAfter } from '../write-response.ts';
import { isNamedBy } from './read-scim-request.ts';

const HEADERS = {
  'Content-Type': 'application/scim+json;charset=UTF-8',
  'Cache-Control': 'no-cache, no-store',
};
/** It opens no dialog of a browser. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="scim"' };
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A response in the words of SCIM; what a rehearsal or a bulk request has found as it is. */
export async function writeScimResponse(
  request: Request,
  response: Response,
  form: AnswerForm,
): Promise<Answer> {
  if (response.kind === 'action') return written(200, response.content, form);
  if (response.kind === 'query') {
    const startIndex = 'startIndex' in response ? { startIndex: response.startIndex } : {};
    const list = {
      schemas: [LIST],
      totalResults: response.totalPagedResults,
      ...startIndex,
      itemsPerPage: response.result.length,
      ...(response.pagedResultsCookie === null ? {} : { nextCursor: response.pagedResultsCookie }),
      Resources: response.result.map(({ content }) => content),
    };
    return written(200, list, form);
  }
  if (request.method === 'delete') return { status: 204, headers: { ...HEADERS }, body: null };
  const { id, revision, content, created = false } = response;
  const etag = revision === null ? {} : { ETag: `W/"${revision}"` };
  // To whoever may not read it, it is shown as having been done.
  if (!created && isObject(content) && Object.keys(content).length === 0) {
    return { status: 204, headers: { ...HEADERS, ...etag }, body: null };
  }
  if (request.method === 'read' && form.ifNoneMatch !== null && isNamedBy(form.ifNoneMatch, revision)) {
    return { status: 304, headers: { ...HEADERS, ...etag }, body: null };
  }
  const meta = isObject(content) ? content['meta'] : undefined;
  const location = isObject(meta) && typeof meta['location'] === 'string' ? meta['location'] : addressed();
  return written(created ? 201 : 200, content, form, { Location: location, ...etag });

  function addressed(): string {
    const path = [...request.path.slice(1), ...(created && id !== null ? [id] : [])];
    return `${form.base()}/${path.map(encodeURIComponent).join('/')}`;
  }
}

export function writeScimError(error: ResourceError): Answer {
  const { status } = statusOf(error);
  const body = textOf(scimErrorBody(error), { prettyPrint: false });
  const more = status === 401 ? CHALLENGE : status === 405 ? allowedBy(error) : retryAfter(error);
  return { status, headers: { ...HEADERS, ...more }, body };
}

/** What there is instead (RFC 9110, 15.5.6). */
function allowedBy({ detail }: ResourceError): Record<string, string> {
  const allowed = isObject(detail) ? detail['allowed'] : undefined;
  return { Allow: (Array.isArray(allowed) ? allowed : METHODS).join(', ') };
}

function written(
  status: number,
  body: unknown,
  form: AnswerForm,
  headers: Record<string, string> = {},
): Answer {
  return { status, headers: { ...HEADERS, ...headers }, body: textOf(body, form) };
}
