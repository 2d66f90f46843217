import { BadRequestError, didYouMean } from '#errors/index.ts';
import { formatPath, type QueryRequest } from '#resource/index.ts';

export type QueryKind = 'all' | 'filtered';

const KINDS: Readonly<Record<string, QueryKind>> = {
  'query-all-ids': 'all',
  ALL_IDS: 'all',
  'filtered-query': 'filtered',
};

/**
 * Which of the two queries of workflow resources is meant.
 *
 * @throws BadRequestError `WORKFLOW_UNKNOWN_QUERY` for any other `_queryId`, and without one
 */
export function queryKind(
  request: QueryRequest,
  known: readonly QueryKind[] = ['all', 'filtered'],
  /** Answered before it comes to these. */
  others: readonly string[] = [],
): QueryKind {
  const { queryId } = request;
  const kind = queryId === null ? undefined : KINDS[queryId];
  if (kind !== undefined && known.includes(kind)) return kind;
  const kinds = Object.entries(KINDS).flatMap(([id, one]) => (known.includes(one) ? [id] : []));
  const ids = [...kinds, ...others];
  const path = formatPath(request.path);
  const message =
    queryId === null ? `A query on '${path}' needs a _queryId` : `Unknown query id '${queryId}' on '${path}'`;
  throw new BadRequestError(message, {
    id: 'WORKFLOW_UNKNOWN_QUERY',
    field: '_queryId',
    hint: [didYouMean(queryId ?? '', ids), `Give _queryId: ${ids.join(', ')}`].filter(Boolean).join(' '),
  });
}
