import { BadRequestError, NotSupportedError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import {
  parseFields,
  parsePatch,
  parsePath,
  parseQueryParameters,
  type ResourcePath,
  type Request as ResourceRequest,
  refuseUnknownParameter,
} from '#resource/index.ts';
import { isAtLeast, readProtocolVersion } from './api-version.ts';
import { parseJsonBody, requireObject } from './json-body.ts';
import { type Preconditions, readPreconditions } from './preconditions.ts';
import { unfitMimeType } from './unfit-mime-type.ts';
import { readUrlParameters, type UrlParameters } from './url-parameters.ts';

/** An HTTP request, read as far as the protocol of resources needs it. */
export interface HttpRequest {
  readonly method: string;
  /** Percent-encoded, below the base path. */
  readonly path: string;
  readonly search: URLSearchParams;
  /** @param name in lower case */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  /** The most that a body may have. */
  readonly bodyLimitBytes: number;
}

export interface TranslatedRequest {
  readonly request: ResourceRequest;
  readonly prettyPrint: boolean;
  /** For a read: answers 304 when this is the current revision. */
  readonly ifNoneMatch: string | null;
  /** For a read: the body is the one selected field, as this media type. */
  readonly mimeType: string | null;
}

/**
 * The request of the resource layer that an HTTP request means.
 *
 * @throws ResourceError 400, 409, 412 or 501 for one that means none
 */
export function translateRequest(http: HttpRequest): TranslatedRequest {
  const method = effectiveMethod(http);
  const version = readProtocolVersion(http.header('accept-api-version'));
  const parameters = readUrlParameters(http.search);
  const { reserved } = parameters;
  const path = parsePath(http.path);
  const ofScript = path.length === 1 && path[0] === 'script';
  for (const name of Object.keys(parameters.additional)) refuseUnknownParameter(name, path[0], ofScript);
  const isAction = method === 'POST' && reserved._action !== undefined && !isCreate(reserved._action);
  const conditions = readPreconditions(method, isAction, http.header);
  const common = {
    path,
    fields: readFields(reserved._fields),
    parameters: parameters.additional,
    ...(readFlag(parameters, '_nestedFields') ? { nestedFields: true } : {}),
    ...(isDryRun(parameters)
      ? { dryRun: true, ...readChangesLimit(parameters), ...readTrace(parameters) }
      : {}),
  };
  const request = (): ResourceRequest => {
    switch (method) {
      case 'GET':
        return isQuery(parameters)
          ? { method: 'query', ...common, ...parseQueryParameters(reserved) }
          : { method: 'read', ...common };
      case 'POST':
        if (reserved._action === undefined && !isAtLeast(version, 2, 1)) {
          throw new BadRequestError("POST needs the parameter '_action' in this protocol version", {
            id: 'HTTP_NO_ACTION',
          });
        }
        if (isAction) {
          const content = jsonBody(http) ?? null;
          // Some actions are about what a query finds; to a script all but the action is a variable.
          const { _action, ...others } = reserved;
          const additional = { ...(ofScript ? others : queryParameters(parameters)), ...common.parameters };
          return { method: 'action', ...common, parameters: additional, action: reserved._action!, content };
        }
        return {
          method: 'create',
          ...common,
          newResourceId: null,
          content: objectBody(http),
          ...(reserved._action === undefined ? {} : { byAction: true }),
        };
      case 'PUT':
        return put(common, conditions, isAtLeast(version, 2, 0), http);
      case 'PATCH': {
        const body = jsonBody(http);
        if (body === undefined) requireObject(body);
        return {
          method: 'patch',
          ...common,
          revision: conditions.revision,
          operations: parsePatch(body as JsonValue),
        };
      }
      case 'DELETE':
        return { method: 'delete', ...common, revision: conditions.revision };
      default:
        throw new NotSupportedError(`Method ${method} not supported`, { id: 'HTTP_METHOD' });
    }
  };
  const asked = request();
  const mimeType = readMimeType(asked, parameters);
  const translated = asked.method === 'read' && mimeType !== null ? { ...asked, mimeType } : asked;
  if (translated.method !== 'read' && conditions.ifNoneMatch !== null && method === 'GET') {
    throw new PreconditionFailedError('If-None-Match is not supported for a query', {
      id: 'HTTP_CONDITION_UNFIT',
    });
  }
  return {
    request: translated,
    prettyPrint: readFlag(parameters, '_prettyPrint'),
    ifNoneMatch: conditions.ifNoneMatch,
    mimeType,
  };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/;

/** `_mimeType` goes with a read of one field; where none is named, with one whose answer is but one. */
function readMimeType(request: ResourceRequest, { reserved }: UrlParameters): string | null {
  const mimeType = reserved._mimeType;
  if (mimeType === undefined) return null;
  if (request.method !== 'read' || request.fields.length > 1 || !MEDIA_TYPE.test(mimeType))
    throw unfitMimeType(mimeType);
  return mimeType;
}

function queryParameters({ reserved }: UrlParameters): Record<string, string> {
  const { _queryFilter, _queryId } = reserved;
  return {
    ...(_queryFilter === undefined ? {} : { _queryFilter }),
    ...(_queryId === undefined ? {} : { _queryId }),
  };
}

interface Common {
  readonly path: ResourcePath;
  readonly fields: ResourceRequest['fields'];
  readonly parameters: ResourceRequest['parameters'];
}

/** PUT creates, updates or does whichever fits, as its conditions say. */
function put(
  common: Common,
  { revision, hasIfMatch, ifNoneMatch }: Preconditions,
  upserts: boolean,
  http: HttpRequest,
): ResourceRequest {
  const content = objectBody(http);
  const id = common.path.at(-1);
  if (id === undefined) throw new BadRequestError('PUT on the root names no object', { id: 'HTTP_PUT_ROOT' });
  if (hasIfMatch || (ifNoneMatch === null && !upserts)) {
    return { method: 'update', ...common, revision, content };
  }
  const container = { ...common, path: common.path.slice(0, -1) };
  return {
    method: 'create',
    ...container,
    newResourceId: id,
    content,
    ...(ifNoneMatch === null ? { orUpdate: true } : {}),
  };
}

function effectiveMethod({ method, header }: HttpRequest): string {
  const override = header('x-http-method-override');
  return method === 'POST' && override !== undefined ? override.trim().toUpperCase() : method;
}

function isCreate(action: string): boolean {
  return action.toLowerCase() === 'create';
}

function isQuery({ reserved }: UrlParameters): boolean {
  return (
    reserved._queryFilter !== undefined ||
    reserved._queryId !== undefined ||
    reserved._queryExpression !== undefined
  );
}

function jsonBody({ body, header, bodyLimitBytes }: HttpRequest) {
  return parseJsonBody(body, header('content-type'), bodyLimitBytes);
}

function objectBody(http: HttpRequest) {
  return requireObject(jsonBody(http));
}

/** `_fields`: pointers separated by commas; an empty list selects nothing in particular. */
function readFields(text: string | undefined): ResourceRequest['fields'] {
  if (text === undefined || text.trim() === '') return [];
  return parseFields(text.split(','));
}

/** Whoever asks for a rehearsal in words that are none must not get the real thing. @throws BadRequestError */
function isDryRun({ reserved }: UrlParameters): boolean {
  const value = reserved._dryRun ?? 'false';
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw new BadRequestError(`'_dryRun' must be true or false, not '${value}'`, {
    id: 'HTTP_BAD_DRY_RUN',
    field: '_dryRun',
    hint: 'Nothing was done. Write _dryRun=true to rehearse',
  });
}

const MOST_NAMED = 1_000;

/** @throws BadRequestError */
function readChangesLimit({ reserved }: UrlParameters): { readonly changesLimit?: number } {
  const value = reserved._changesLimit;
  if (value === undefined) return {};
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit <= MOST_NAMED) return { changesLimit: limit };
  throw new BadRequestError(`'_changesLimit' must be a number up to ${MOST_NAMED}, not '${value}'`, {
    id: 'HTTP_BAD_CHANGES_LIMIT',
    field: '_changesLimit',
    hint: 'It says how many of those whom a rehearsed change is about are named; all are counted',
  });
}

/** @throws BadRequestError */
function readTrace({ reserved }: UrlParameters): { readonly traceValues?: true } {
  const value = reserved._trace;
  if (value === undefined) return {};
  if (value === 'values') return { traceValues: true };
  throw new BadRequestError(`'_trace' must be 'values', not '${value}'`, {
    id: 'HTTP_BAD_TRACE',
    field: '_trace',
    hint: 'Steps of a rehearsal show then what they have made of what they changed',
  });
}

function readFlag({ reserved }: UrlParameters, name: '_nestedFields' | '_prettyPrint'): boolean {
  return reserved[name]?.toLowerCase() === 'true';
}
