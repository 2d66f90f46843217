import { InternalServerError, NotFoundError } from '#errors/index.ts';
import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  actionResult,
  formatPath,
  type QueryResult,
  type Request,
  type Resource,
  type Response,
  type TotalPolicy,
} from '#resource/index.ts';

const POLICIES: readonly TotalPolicy[] = ['NONE', 'ESTIMATE', 'EXACT'];

/**
 * What the value of an endpoint's script means as an answer: the value itself, with 200, whatever was asked.
 *
 * @throws NotFoundError for null where a resource is wanted, InternalServerError for what is no query result
 */
export function endpointResponse(request: Request, value: JsonValue): Response {
  if (request.method === 'action') return actionResult(value);
  if (request.method === 'query') return queryResponse(value);
  if (value === null) {
    throw new NotFoundError(`Resource '${formatPath(request.path)}' not found, script returned null`);
  }
  return { ...rowOf(value), created: false };
}

function rowOf(value: JsonValue): Resource {
  const own = isObject(value) ? getMember(value, '_id') : undefined;
  const id = own === undefined || own === null ? null : String(own);
  return { kind: 'resource', id, revision: null, content: value };
}

function queryResponse(value: JsonValue): QueryResult {
  if (value === null || Array.isArray(value)) return page(value ?? [], {});
  if (!isObject(value)) throw unfit(`A query script must return a list, not ${JSON.stringify(value)}`);
  const { result } = value;
  if (!Array.isArray(result))
    throw unfit("A query script that returns an object must give it a list 'result'");
  return page(result, value);
}

function page(rows: readonly JsonValue[], facts: JsonObject): QueryResult {
  const { pagedResultsCookie: cookie, totalPagedResultsPolicy, totalPagedResults: total } = facts;
  const wanted = totalPagedResultsPolicy ?? 'NONE';
  const policy = POLICIES.find((known) => known === wanted);
  if (policy === undefined) {
    throw unfit(
      `totalPagedResultsPolicy must be one of ${POLICIES.join(', ')}, not ${JSON.stringify(wanted)}`,
    );
  }
  if (total !== undefined && total !== null && !Number.isInteger(total)) {
    throw unfit(`totalPagedResults must be a whole number, not ${JSON.stringify(total)}`);
  }
  return {
    kind: 'query',
    result: rows.map(rowOf),
    pagedResultsCookie: cookie === undefined || cookie === null ? null : String(cookie),
    totalPagedResultsPolicy: policy,
    totalPagedResults: typeof total === 'number' ? total : -1,
  };
}

function unfit(message: string): InternalServerError {
  return new InternalServerError(message, { id: 'ENDPOINT_BAD_RESULT' });
}
