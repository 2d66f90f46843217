import { BadRequestError, wordsOf } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { compilePredefinedQuery, type PredefinedQueries } from '#resource/index.ts';

/**
 * Compiles the `queries` of `repo.json`: query id → `{"_queryFilter": "mail eq ${mail}"}`. Entries of another shape
 * belong to other kinds of repository and are left out.
 *
 * @throws BadRequestError that names the query whose filter does not parse
 */
export function compileQueries(queries: JsonObject): PredefinedQueries {
  const compiled: [string, ReturnType<typeof compilePredefinedQuery>][] = [];
  for (const [id, declared] of Object.entries(queries)) {
    if (!isObject(declared) || typeof declared['_queryFilter'] !== 'string') continue;
    try {
      compiled.push([id, compilePredefinedQuery(declared['_queryFilter'])]);
    } catch (error) {
      throw new BadRequestError(`queries/${id}: ${wordsOf(error)}`, {
        id: 'QUERY_TEMPLATE',
        cause: error,
      });
    }
  }
  return new Map(compiled);
}
