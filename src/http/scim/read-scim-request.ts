import { BadRequestError, NotSupportedError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { NO_PAGING, parsePath, type Request, refuseUnknownParameter } from '#resource/index.ts';
import { DISCOVERY, readPatchBody, revisionsIn, SCIM_QUERY, tagsIn } from '#scim/index.ts';
import { parseJsonBody, requireObject } from '../json-body.ts';
import type { HttpRequest, TranslatedRequest } from '../read-request.ts';

/** The media type of SCIM, and the one that some clients send all the same. */
const MEDIA_TYPES = ['application/scim+json', 'application/json'];
const WRITES: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/**
 * The request that a message of SCIM means.
 *
 * @throws ResourceError 400, 413 or 501 for one that means none
 */
export function readScimRequest(http: HttpRequest): TranslatedRequest {
  const { header } = http;
  // The answer to a HEAD is that to a GET, without its body.
  const method = http.method === 'HEAD' ? 'GET' : http.method;
  const segments = parsePath(http.path);
  const { _dryRun: dryRun, ...others } = Object.fromEntries(http.search);
  refuseAmbiguous(http.search);
  const common = {
    path: ['scim', ...segments],
    fields: [],
    parameters: others,
    ...(isRehearsal(dryRun) ? { dryRun: true } : {}),
  };
  const revision = revisionsIn(header('if-match') ?? '*');
  if (WRITES.has(method) && header('if-none-match') !== undefined) {
    throw new PreconditionFailedError(`If-None-Match is not supported for this ${method} request`, {
      id: 'HTTP_CONDITION_UNFIT',
      hint: 'Changes take If-Match',
    });
  }
  return {
    request: read(),
    prettyPrint: false,
    ifNoneMatch: method === 'GET' ? (header('if-none-match') ?? null) : null,
    mimeType: null,
  };

  function read(): Request {
    const place = placeAt(segments);
    if (!METHODS[place].includes(method)) throw notAllowed(method, METHODS[place]);
    switch (method) {
      case 'GET':
        return LISTS.has(place) ? query(common) : { method: 'read', ...common };
      case 'POST':
        if (place === 'search') {
          const path = common.path.slice(0, -1);
          return query({ ...common, path, parameters: { ...others, ...searchOf(body()) } });
        }
        if (place === 'bulk') {
          return { method: 'action', ...common, path: ['scim'], action: 'bulk', content: body() };
        }
        return { method: 'create', ...common, newResourceId: null, content: body() };
      case 'PUT':
        return { method: 'update', ...common, revision, content: body() };
      case 'PATCH':
        return { method: 'patch', ...common, revision, operations: readPatchBody(body()) };
      case 'DELETE':
        return { method: 'delete', ...common, revision };
      default:
        throw notAllowed(method, METHODS[place]);
    }
  }

  function body(): JsonObject {
    return requireObject(parseJsonBody(http.body, header('content-type'), http.bodyLimitBytes, MEDIA_TYPES));
  }
}

/** What can be asked where; the answer to a HEAD is that to a GET. */
const METHODS: Readonly<Record<Place, readonly string[]>> = {
  root: ['GET'],
  bulk: ['POST'],
  search: ['POST'],
  described: ['GET'],
  descriptions: ['GET'],
  collection: ['GET', 'POST'],
  resource: ['GET', 'PUT', 'PATCH', 'DELETE'],
};

type Place = 'root' | 'bulk' | 'search' | 'described' | 'descriptions' | 'collection' | 'resource';

const LISTS: ReadonlySet<Place> = new Set(['root', 'descriptions', 'collection']);

/** The place that a path leads to, be there something or not. */
function placeAt(segments: readonly string[]): Place {
  const [first] = segments;
  if (first === undefined) return 'root';
  if (DISCOVERY.has(first)) {
    return segments.length > 1 || first === 'ServiceProviderConfig' ? 'described' : 'descriptions';
  }
  if (segments.at(-1) === '.search') return 'search';
  if (segments.length > 1 || first === 'Me') return 'resource';
  return first === 'Bulk' ? 'bulk' : 'collection';
}

function notAllowed(method: string, allowed: readonly string[]): NotSupportedError {
  return new NotSupportedError(`Method ${method} not supported`, {
    id: 'HTTP_METHOD',
    detail: { allowed: allowed.flatMap((one) => (one === 'GET' ? [one, 'HEAD'] : [one])) },
  });
}

function query(common: Pick<Request, 'path' | 'fields' | 'parameters'>): Request {
  return {
    method: 'query',
    ...common,
    queryId: SCIM_QUERY,
    queryExpression: null,
    queryFilter: null,
    sortKeys: [],
    paging: NO_PAGING,
  };
}

const SEARCHED = [
  'attributes',
  'excludedAttributes',
  'filter',
  'sortBy',
  'sortOrder',
  'startIndex',
  'count',
  'cursor',
];

/**
 * What a `SearchRequest` says (RFC 7644, 3.4.3), as parameters of a GET.
 *
 * @throws BadRequestError `SCIM_BAD_SYNTAX`: who asks in a form that means nothing is not shown everything
 */
function searchOf(body: JsonObject): Record<string, string> {
  const said = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    SEARCHED.flatMap((name) => {
      const value = said.get(name.toLowerCase()) ?? null;
      if (value === null) return [];
      const all = Array.isArray(value) ? value : [value];
      if (all.some((one) => typeof one === 'object')) {
        throw new BadRequestError(`'${name}' is no text, number or list of texts`, { id: 'SCIM_BAD_SYNTAX' });
      }
      return [[name, all.map(String).join(',')] as const];
    }),
  );
}

/** Whether an `If-None-Match` names a revision, alone, among others, or as any there is (RFC 9110, 13.1.2). */
export function isNamedBy(ifNoneMatch: string, revision: string | null): boolean {
  const tags = tagsIn(ifNoneMatch);
  return tags === '*' || (revision !== null && tags.includes(revision));
}

/** @throws BadRequestError for what may have been meant as `_dryRun`, and for that twice */
function refuseAmbiguous(search: URLSearchParams): void {
  for (const name of search.keys()) refuseUnknownParameter(name);
  const named = [...search.keys()].filter((name) => name.toLowerCase() === '_dryrun');
  if (named.length < 2 && (named[0] ?? '_dryRun') === '_dryRun') return;
  throw new BadRequestError(`'_dryRun' is given as ${named.join(' and ')}`, {
    id: 'HTTP_BAD_DRY_RUN',
    field: '_dryRun',
    hint: 'Nothing was done. Write _dryRun=true once to rehearse',
  });
}

/** Whoever asks for a rehearsal in words that are none must not get the real thing. @throws BadRequestError */
function isRehearsal(text = 'false'): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new BadRequestError(`'_dryRun' must be true or false, not '${text}'`, {
    id: 'HTTP_BAD_DRY_RUN',
    field: '_dryRun',
  });
}
