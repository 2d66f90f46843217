import { type IncomingResponse, type OutgoingRequest, sendRequest } from '#egress/index.ts';
import {
  BadRequestError,
  errorIdOf,
  ForbiddenError,
  NotSupportedError,
  ResourceError,
} from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, shownAddress } from '#json/index.ts';
import { ActionTable, actionResult, bodyOf, type SingletonProvider, textMember } from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { FRAMING, NAME, VALUE } from './header-rules.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const CALL = bodyOf(
  {
    url: textMember('An http or https address'),
    method: textMember(`One of ${METHODS.join(', ')}, in any case of letters`),
    headers: { type: ['object', 'null'] },
    body: { description: 'A text, or what is sent as JSON' },
    contentType: textMember('Of the body', { default: 'application/json' }),
    authenticate: {
      type: ['object', 'null'],
      description: '{ type: "basic", user, password } or { type: "bearer", token }',
    },
    forceWrap: { type: 'boolean', description: 'Wraps a body that is JSON as well' },
  },
  'url',
  'method',
);
const TIMEOUT_MS = 30_000;
const MOST_TOLD = 4_000;
const DENIED = 'WORKFLOW_HTTP_DENIED';

/**
 * `/external/rest`: the action `call` with `{ url, method, headers, body, contentType, authenticate, forceWrap }` asks another
 * server, where http tasks of processes may ask. It answers what that answers, if it is JSON, else `{ body, headers, … }`.
 */
export function restResource({ addressGuard }: WorkflowPlatform): SingletonProvider {
  return {
    description: { title: 'Requests to other servers' },
    actions: new ActionTable({
      call: {
        does: 'Asks the server at `url` and answers what it answers; only where http tasks of processes may ask',
        takes: CALL,
        async run(context, { content }) {
          if (context.rehearsed === true) {
            throw new NotSupportedError('What is asked of another server cannot be rehearsed', {
              id: 'EXTERNAL_REST_REHEARSED',
            });
          }
          const given = isObject(content) ? content : {};
          const request = outgoing(given);
          const response = await sendRequest(request, addressGuard()).catch((error: unknown) => {
            throw errorIdOf(error) === DENIED ? denied(request) : error;
          });
          if (response.status >= 400) throw refused(request, response, context.client.isExternal);
          return actionResult(shownAnswer(response, given['forceWrap'] === true));
        },
      },
    }),
  };
}

function outgoing(given: JsonObject): OutgoingRequest {
  const { url, body, contentType } = given;
  const method = String(given['method'] ?? '').toUpperCase();
  if (typeof url !== 'string') throw bad('url', url, 'An http or https address');
  if (!METHODS.includes(method)) throw bad('method', given['method'], `There are ${METHODS.join(', ')}`);
  const hasBody = body !== undefined && body !== null && body !== '';
  return {
    method,
    url,
    headers: {
      ...(hasBody ? { 'Content-Type': soundValue('contentType', contentType ?? 'application/json') } : {}),
      ...headersOf(given['headers']),
      ...credentials(given['authenticate']),
    },
    body: hasBody ? (typeof body === 'string' ? body : JSON.stringify(body)) : null,
    timeoutMs: TIMEOUT_MS,
    followsRedirects: true,
  };
}

function headersOf(value: JsonValue | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, each] of Object.entries(isObject(value) ? value : {})) {
    if (!NAME.test(name) || FRAMING.test(name)) throw bad('headers', name, 'No such header can be given');
    headers[name] = soundValue('headers', each);
  }
  return headers;
}

function credentials(value: JsonValue | undefined): Record<string, string> {
  if (value === undefined || value === null) return {};
  const { type, user, password, token } = isObject(value) ? value : {};
  if (type === 'basic' && typeof user === 'string' && typeof password === 'string') {
    return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
  }
  if (type === 'bearer' && typeof token === 'string') {
    return { Authorization: `Bearer ${soundValue('authenticate', token)}` };
  }
  throw new BadRequestError("'authenticate' says not how", {
    id: 'EXTERNAL_REST_BAD',
    field: '/authenticate',
    hint: '{ type: "basic", user, password } or { type: "bearer", token }',
  });
}

/** A line break would begin another header. */
function soundValue(field: string, value: JsonValue): string {
  const text = String(value).trim();
  if (VALUE.test(text)) return text;
  throw new BadRequestError(`'${field}' holds a character that no header may have`, {
    id: 'EXTERNAL_REST_BAD',
    field: `/${field}`,
  });
}

function shownAnswer({ body, headers, status }: IncomingResponse, isWrapped: boolean): JsonValue {
  const type = String(headers['content-type'] ?? '');
  if (!isWrapped && /[/+]json\b/i.test(type)) {
    try {
      const parsed: JsonValue = JSON.parse(body);
      return parsed;
    } catch {
      // What cannot be parsed is a text, whatever its sender calls it.
    }
  }
  const shownHeaders = Object.entries(headers).map(([name, value]) => [name, [value].flat().map(String)]);
  return { code: status, body, headers: Object.fromEntries(shownHeaders) };
}

/** Where its address leads is not told. */
function denied({ url }: OutgoingRequest): ForbiddenError {
  return new ForbiddenError(`'${shownAddress(url)}' may not be asked`, {
    id: 'EXTERNAL_REST_DENIED',
    hint: 'The operator can allow the network in SVC_EGRESS_ALLOW, or in http.allow of the file workflow.json',
  });
}

/**
 * A script is told the status as its own, and what was said, and may make something of it. To whoever asks from outside
 * neither is a word of this server: its 401 would end a session here, its 429 would have clients wait for us.
 */
function refused(
  { url }: OutgoingRequest,
  { status, reason, body }: IncomingResponse,
  isAskedFromOutside: boolean,
): ResourceError {
  return new ResourceError(
    isAskedFromOutside ? 502 : status,
    `'${shownAddress(url)}' answered ${status} ${reason}`,
    {
      id: 'EXTERNAL_REST_STATUS',
      detail: { status, content: body.slice(0, MOST_TOLD) },
    },
  );
}

function bad(field: string, value: JsonValue | undefined, hint: string): BadRequestError {
  return new BadRequestError(`'${field}' is '${shownAddress(String(value ?? ''))}'`, {
    id: 'EXTERNAL_REST_BAD',
    field: `/${field}`,
    hint,
  });
}
