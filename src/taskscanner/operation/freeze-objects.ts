import { PayloadTooLargeError } from '#errors/index.ts';
import { type Context, nextPart, parsePath, parseQueryParameters } from '#resource/index.ts';
import type { FoundObject } from '../claimable.ts';
import type { RunDefinition } from '../scan-definition.ts';
import { ask, type TaskScannerPlatform } from '../scan-platform.ts';
import { MOST_OBJECTS } from './operation-schema.ts';

const PAGE_SIZE = 1_000;

export interface Frozen {
  readonly objects: readonly FoundObject[];
  /** The query finds more than the limit. */
  readonly more: boolean;
  /** What may be a mistake in the query, in sentences. */
  readonly warnings?: readonly string[];
}

/**
 * All that the query finds now, as whoever asks is shown it: from here on the operation is about these.
 *
 * @throws PayloadTooLargeError `OPERATION_TOO_MANY`
 */
export async function freezeObjects(
  platform: Pick<TaskScannerPlatform, 'resources'>,
  context: Context,
  { object, query, maxRecords }: RunDefinition,
): Promise<Frozen> {
  const most = maxRecords ?? MOST_OBJECTS;
  const { queryFilter, queryId, sortKeys, parameters } = query;
  const asked = parseQueryParameters({
    ...(queryFilter === null ? {} : { _queryFilter: queryFilter }),
    ...(queryId === null ? {} : { _queryId: queryId }),
    ...(sortKeys === null ? {} : { _sortKeys: sortKeys }),
  });
  const objects: FoundObject[] = [];
  const seen = new Set<string>();
  let cookie: string | null = null;
  let more = false;
  let warnings: readonly string[] | undefined;
  do {
    const pageSize = Math.min(PAGE_SIZE, most - objects.length);
    const answer = await ask(platform, partOf(context), {
      ...asked,
      method: 'query',
      path: parsePath(object),
      fields: [['_id']],
      parameters,
      paging: { pageSize, offset: 0, totalPolicy: 'NONE', ...(cookie === null ? {} : { cookie }) },
    });
    if (answer.kind !== 'query') break;
    warnings ??= answer.warnings;
    // What moves while pages are read may be on two of them.
    const ids = new Set(answer.result.flatMap(({ id }) => id ?? [])).difference(seen);
    // A resource that does not page answers everything at once.
    more = answer.pagedResultsCookie !== null || objects.length + ids.size > most;
    for (const id of [...ids].slice(0, most - objects.length)) {
      seen.add(id);
      objects.push([id, null, null, null, { n: objects.length + 1 }]);
    }
    cookie = answer.pagedResultsCookie;
  } while (cookie !== null && objects.length < most);
  if (more && maxRecords === null) {
    throw new PayloadTooLargeError(`The query finds more than ${MOST_OBJECTS} objects`, {
      id: 'OPERATION_TOO_MANY',
      hint: "Ask for less, or take the first of them with 'limit'",
      detail: { allowed: MOST_OBJECTS },
    });
  }
  return { objects, more, ...(warnings === undefined ? {} : { warnings }) };
}

/** For a request that is made for the caller, and with no more rights. */
export function partOf(context: Context): Context {
  return { ...context, transactionId: nextPart(context), made: { count: 0 } };
}
