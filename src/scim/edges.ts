import { getAt, isObject } from '#json/index.ts';
import { NO_PAGING, parsePath, type QueryFilter, type Request, type Resource } from '#resource/index.ts';
import type { EdgeChanges } from './edge-changes.ts';
import { pathOf, type Scope } from './scim-platform.ts';

/** An edge of a relationship: its id, and where it leads, such as `managed/user/42`. */
export interface Edge {
  readonly id: string;
  readonly ref: string;
}

/**
 * Changes the edges that are meant, and looks at no others: a group may have more members than one would want to.
 *
 * @returns the revision of the object; null where it is not told
 */
export async function changeEdges(
  { type, ask }: Scope,
  id: string,
  property: string,
  { all, added, removed }: EdgeChanges,
): Promise<string | null> {
  const path = [...pathOf(type, id), property];
  const wanted = new Set([...(all ?? []), ...added].filter((ref) => !removed.has(ref)));
  const gone = new Set(removed);
  if (all !== null) {
    for (const { ref } of await edgesAt(ask, path, null)) if (!wanted.delete(ref)) gone.add(ref);
  }
  if (wanted.size + gone.size === 0) return null;
  if (!ask.isServer) return changeOneByOne(ask, path, wanted, gone);
  const operations = [
    ...[...gone].map((ref) => ({ operation: 'remove', field: [], value: { _ref: ref } }) as const),
    ...[...wanted].map((ref) => ({ operation: 'add', field: ['-'], value: { _ref: ref } }) as const),
  ];
  const common = { fields: [], parameters: {}, revision: null };
  return (await ask.one({ method: 'patch', ...common, path, operations })).revision;
}

/** Each is judged by itself. */
async function changeOneByOne(
  ask: Scope['ask'],
  path: readonly string[],
  wanted: ReadonlySet<string>,
  gone: ReadonlySet<string>,
): Promise<null> {
  const common = { fields: [], parameters: {} };
  const edges = await edgesAt(ask, path, [...wanted, ...gone]);
  for (const edge of edges) {
    if (!gone.has(edge.ref)) continue;
    await ask.one({ method: 'delete', ...common, path: [...path, edge.id], revision: null });
  }
  const there = new Set(edges.map(({ ref }) => ref));
  for (const ref of wanted) {
    if (there.has(ref)) continue;
    await ask.one({ method: 'create', ...common, path, newResourceId: null, content: { _ref: ref } });
  }
  return null;
}

/** @param refs null: all there are */
async function edgesAt(
  ask: Scope['ask'],
  path: readonly string[],
  refs: readonly string[] | null,
): Promise<Edge[]> {
  const queryFilter: QueryFilter =
    refs === null
      ? { kind: 'literal', value: true }
      : { kind: 'in', pointer: ['_ref'], values: refs.map((ref) => parsePath(ref).join('/')) };
  return (await ask.all(edgeQuery(path, queryFilter))).result.map(edgeOf);
}

/** @param pageSize 0: all */
export function edgeQuery(
  path: readonly string[],
  queryFilter: QueryFilter,
  pageSize = 0,
): Extract<Request, { method: 'query' }> {
  return {
    method: 'query',
    path,
    fields: [['_ref'], ['_refProperties']],
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter,
    sortKeys: [],
    paging: pageSize === 0 ? NO_PAGING : { pageSize, offset: 0, totalPolicy: 'NONE' },
  };
}

export function edgeOf({ content }: Resource): Edge {
  const ref = isObject(content) ? content['_ref'] : '';
  return { id: String(getAt(content, ['_refProperties', '_id'])), ref: String(ref) };
}
