import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '#json/index.ts';
import { requireNoSecrets } from '#repo/index.ts';
import { type Context, NO_PAGING, nextContext, parsePath, type QueryRequest } from '#resource/index.ts';
import { type Mapping, questionOf, seesWords } from '#sync/index.ts';
import { type ReconPlatform, shownMapping } from './recon-platform.ts';
import type { ReconParameters, ReconRun } from './recon-run.ts';

type End = 'source' | 'target';

/**
 * How many pairs there are of what a caller asks for tells what stands in the objects, so whoever brings a query of their own may make it
 * themselves; the listing is then asked as they would ask it. What the mapping asks for is the server's.
 *
 * @param given what the body of the request says
 * @returns the ends that are asked for by the caller's own query
 * @throws ForbiddenError for a query that the caller may not make
 */
export async function requireOwnQuestions(
  { router }: Pick<ReconPlatform, 'router'>,
  context: Context,
  mapping: Mapping,
  given: JsonObject,
  { sourceQuery, targetQuery }: ReconParameters,
): Promise<readonly End[]> {
  if (!context.client.isExternal) return [];
  const own: End[] = [];
  for (const [end, query] of [
    ['source', sourceQuery],
    ['target', targetQuery],
  ] as const) {
    if (query === undefined || !isObject(given[`${end}Query`])) continue;
    const request = queryOf(mapping[end], query);
    if (request.queryFilter !== null) requireNoSecrets(request.queryFilter, []);
    await router.admit(context, request);
    own.push(end);
  }
  return own;
}

/**
 * Whoever says how much may be done that nobody has looked at must be one who may approve it.
 *
 * @throws ForbiddenError for others
 */
export async function requireApproval(
  { router }: Pick<ReconPlatform, 'router'>,
  context: Context,
): Promise<void> {
  if (!context.client.isExternal) return;
  await router.admit(context, {
    method: 'action',
    path: ['recon', randomUUID()],
    action: 'approve',
    content: {},
    fields: [],
    parameters: {},
  });
}

/** A query as it is written in a mapping, or in what is asked for. */
export function queryOf(collection: string, { resourceName: _, ...asked }: JsonObject): QueryRequest {
  return {
    method: 'query',
    path: parsePath(collection),
    queryId: null,
    queryExpression: null,
    queryFilter: null,
    sortKeys: [],
    paging: NO_PAGING,
    fields: [['_id']],
    parameters: {},
    ...questionOf(asked),
  };
}

/** The context in which a caller's own query is asked: judged, and shown no more than they are. */
export function asCaller(context: Context): Context {
  const next = nextContext(context);
  return { ...next, client: { ...next.client, isExternal: true } };
}

/** Whether a caller may see what is said about objects of both sides of a run. */
export function seesWordsOf(
  platform: Pick<ReconPlatform, 'router' | 'mappings'>,
  context: Context,
  run: ReconRun,
): Promise<boolean> {
  return seesWords(platform, context, shownMapping(platform, run));
}
