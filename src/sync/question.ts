import type { JsonObject, JsonValue } from '#json/index.ts';
import { type Connection, parseQueryParameters } from '#resource/index.ts';

/** What is asked of a set. */
export type Question = Pick<
  Parameters<Connection['query']>[1],
  'queryFilter' | 'queryId' | 'queryExpression' | 'parameters'
>;

/**
 * A query as scripts and mappings write it: `_queryFilter`, `_queryId` or `_queryExpression`, with or without the underscore, beside
 * parameters of it.
 *
 * @throws BadRequestError for one that cannot be asked
 */
export function questionOf(written: JsonObject): Question {
  const { _queryFilter, queryFilter, _queryId, queryId, _queryExpression, ...others } = written;
  const text = (given: JsonValue | undefined) =>
    given === undefined || given === null ? undefined : String(given);
  const parsed = parseQueryParameters({
    _queryFilter: text(_queryFilter ?? queryFilter),
    _queryId: text(_queryId ?? queryId),
    _queryExpression: text(_queryExpression),
  });
  const parameters = Object.entries(others).filter(([, given]) => given !== null);
  return {
    queryFilter: parsed.queryFilter,
    queryId: parsed.queryId,
    queryExpression: parsed.queryExpression,
    parameters: Object.fromEntries(parameters.map(([name, given]) => [name, String(given)])),
  };
}
