import { BadRequestError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import { getAt, type JsonObject, type Pointer, setMember } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import {
  applyPatch,
  type Context,
  formatPath,
  type PatchRequest,
  plainQuery,
  type QueryRequest,
  type QueryResult,
  type Request,
  type Resource,
  type Response,
  type UpdateRequest,
  unsupported,
} from '#resource/index.ts';
import { newExchange } from '../exchange.ts';
import { lifecycle } from '../lifecycle.ts';
import { dbOf, type ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { hidePrivate } from '../retrieve/hide-private.ts';
import { resolveReferences } from '../retrieve/resolve-references.ts';
import { retrieveObjects } from '../retrieve/retrieve-objects.ts';
import { type Edge, edgeValue, parseEdge } from './edge.ts';
import { queryEdges } from './edge-query-repository.ts';
import { findEdge, listEdges } from './edge-repository.ts';
import type { EdgeEdit } from './plan-edges.ts';
import type { Relationship } from './relationship.ts';

/** Names of queries that all mean every edge. */
const QUERIES: ReadonlySet<string> = new Set([
  'query-all',
  'query-all-ids',
  'find-relationships-for-resource',
]);

/** `/managed/<type>/{id}/<property>[/{edge id}]`: the edges of one property of one object. */
export class RelationshipResource {
  readonly #platform: ManagedPlatform;
  readonly #type: ManagedType;
  readonly #ownerId: string;
  readonly #relationship: Relationship;

  constructor(platform: ManagedPlatform, type: ManagedType, ownerId: string, relationship: Relationship) {
    this.#platform = platform;
    this.#type = type;
    this.#ownerId = ownerId;
    this.#relationship = relationship;
  }

  /** @param edgeId null when the property itself is addressed */
  async handle(context: Context, request: Request, edgeId: string | null): Promise<Response> {
    const { isArray } = this.#relationship;
    if (isArray && edgeId === null) return this.#onCollection(context, request);
    if (!isArray && edgeId !== null) throw noSuchPath(request);
    return this.#onEdge(context, request, edgeId);
  }

  async #onCollection(context: Context, request: Request): Promise<Response> {
    switch (request.method) {
      case 'query':
        return this.#query(context, request);
      case 'create': {
        const { newResourceId, content, orUpdate } = request;
        if (newResourceId !== null && orUpdate === true) {
          const edge = await this.#find(context, newResourceId);
          if (edge !== undefined) return this.#replace(context, request, edge, content);
        }
        return { ...(await this.#create(context, request, content, newResourceId)), created: true };
      }
      case 'action':
        return unsupported(request);
      default:
        throw new BadRequestError(
          `'${formatPath(request.path)}' is a collection of relationships; name one of them`,
          { id: 'RESOURCE_IS_A_COLLECTION' },
        );
    }
  }

  async #onEdge(context: Context, request: Request, edgeId: string | null): Promise<Response> {
    const isSingle = edgeId === null;
    if (isSingle && request.method === 'create' && request.orUpdate === true) {
      const edge = await this.#find(context, null);
      if (edge !== undefined) return this.#replace(context, request, edge, request.content);
      return { ...(await this.#create(context, request, request.content, null)), created: true };
    }
    switch (request.method) {
      case 'read':
        return this.#answer(context, request, await this.#get(context, request, edgeId));
      case 'update': {
        const edge = await this.#get(context, request, edgeId);
        requireRevision(edge, request.revision);
        return this.#replace(context, request, edge, request.content);
      }
      case 'patch': {
        const edge = await this.#get(context, request, edgeId);
        requireRevision(edge, request.revision);
        return this.#patch(context, request, edge);
      }
      case 'delete': {
        if (isSingle) break;
        const edge = await this.#get(context, request, edgeId);
        requireRevision(edge, request.revision);
        const answer = await this.#answer(context, request, edge);
        await this.#edit(context, request, { kind: 'remove', property: this.#relationship.property, edge });
        return answer;
      }
      case 'action':
        return unsupported(request);
    }
    throw new BadRequestError(
      `'${formatPath(request.path)}' is a single relationship and cannot take a ${request.method}`,
      { id: 'RESOURCE_IS_A_SINGLETON', hint: 'Set or clear it through its object' },
    );
  }

  async #create(
    context: Context,
    request: Request,
    content: JsonObject,
    id: string | null,
  ): Promise<Resource> {
    const { property } = this.#relationship;
    const wanted = { ...parseEdge(content, '/_ref'), id };
    return this.#write(context, request, { kind: 'create', property, wanted });
  }

  /** A reference that says the same as before changes nothing. */
  async #replace(context: Context, request: Request, edge: Edge, content: JsonObject): Promise<Resource> {
    const { property } = this.#relationship;
    const wanted = { ...parseEdge(content, '/_ref'), id: edge.id };
    return this.#write(context, request, { kind: 'update', property, edge, wanted });
  }

  async #patch(context: Context, request: PatchRequest, edge: Edge): Promise<Resource> {
    return this.#replace(context, request, edge, await applyPatch(edgeValue(edge), request.operations));
  }

  async #write(context: Context, request: Request, edit: EdgeEdit): Promise<Resource> {
    const edited = await this.#edit(context, request, edit);
    return this.#answer(context, request, edited!);
  }

  /** The owner goes through its own life, with its hooks and its revision. */
  async #edit(context: Context, request: Request, edit: EdgeEdit): Promise<Edge | null> {
    const update: UpdateRequest = {
      method: 'update',
      path: ['managed', this.#type.name, this.#ownerId],
      fields: [],
      parameters: request.parameters,
      revision: null,
      content: {},
    };
    const exchange = newExchange(this.#platform, context, this.#type, update, this.#ownerId, { edit });
    await lifecycle(exchange);
    return exchange.edited;
  }

  async #query(context: Context, request: QueryRequest): Promise<QueryResult> {
    const { queryId } = request;
    if (queryId !== null && !QUERIES.has(queryId)) {
      throw new BadRequestError(`Unknown query '${queryId}' on '${formatPath(request.path)}'`, {
        id: 'QUERY_UNKNOWN_ID',
        hint: `There are ${[...QUERIES].join(', ')}, or use _queryFilter`,
      });
    }
    const db = await dbOf(this.#platform, context);
    if ((await findObject(db, objectStore(['managed', this.#type.name]), this.#ownerId)) === undefined) {
      throw noSuchPath(request);
    }
    const asked =
      queryId === null
        ? plainQuery(request)
        : { filter: { kind: 'literal' as const, value: true }, idsOnly: queryId === 'query-all-ids' };
    const { query, sortKeys } = context.client.isExternal
      ? hidePrivate(this.#privates(), asked, request.sortKeys)
      : { query: asked, sortKeys: request.sortKeys };
    const page = await queryEdges(db, this.#owner(), { ...request, sortKeys }, query);
    const result = query.idsOnly
      ? page.edges.map(({ id }) => edgeResource({ _id: id }))
      : await this.#answers(context, request, page.edges);
    return {
      kind: 'query',
      result,
      pagedResultsCookie: page.cookie,
      totalPagedResultsPolicy: page.totalPolicy,
      totalPagedResults: page.total,
    };
  }

  async #answer(context: Context, request: Request, edge: Edge): Promise<Resource> {
    return (await this.#answers(context, request, [edge]))[0]!;
  }

  /** `_ref` and `_refProperties` are the edge's own; other fields are those of the object that it leads to. */
  async #answers(context: Context, request: Request, edges: readonly Edge[]): Promise<Resource[]> {
    const { property } = this.#relationship;
    const own = request.fields.filter(isOwn);
    const fields = request.fields.filter((field) => !isOwn(field));
    const isWhole =
      request.fields.length === 0 || fields.some((field) => field.length === 0 || field[0] === '*');
    const values = await resolveReferences(
      {
        platform: this.#platform,
        context,
        type: this.#type,
        request,
        fields,
        runsHooks: request.parameters['executeOnRetrieve'] !== 'false',
      },
      { hasDefaults: false, named: [], references: new Map([[property, { fields, index: null }]]) },
      edges,
      retrieveObjects,
    );
    return edges.map((edge) => {
      const value = values.get(edge)!;
      if (isWhole) return edgeResource(value);
      const { _ref, _refProperties, ...others } = value;
      const selected: JsonObject = {};
      for (const pointer of own) {
        const member = getAt(value, pointer);
        if (member !== undefined) setMember(selected, pointer.at(-1)!, member);
      }
      return edgeResource({ ...selected, ...others });
    });
  }

  #find(context: Context, edgeId: string | null): Promise<Edge | undefined> {
    return dbOf(this.#platform, context).then(async (db) => {
      const owner = this.#owner();
      if (edgeId !== null) return findEdge(db, owner, edgeId);
      return (await listEdges(db, owner.collection, [owner.id], [owner.property]))[0];
    });
  }

  async #get(context: Context, request: Request, edgeId: string | null): Promise<Edge> {
    const edge = await this.#find(context, edgeId);
    if (edge === undefined) throw noSuchPath(request);
    return edge;
  }

  #owner() {
    return {
      collection: `managed/${this.#type.name}`,
      id: this.#ownerId,
      property: this.#relationship.property,
    };
  }

  /** References may lead to any type, so what is private in one is hidden in all. */
  #privates(): ReadonlySet<string> {
    const types = [...this.#platform.types.current().values()];
    return new Set(types.flatMap(({ privates }) => [...privates]));
  }
}

function isOwn([name]: Pointer): boolean {
  return name === '_ref' || name === '_refProperties';
}

function edgeResource(content: JsonObject): Resource {
  return { kind: 'resource', id: null, revision: null, content, fieldsSelected: true };
}

function requireRevision(edge: Edge, revision: string | null): void {
  if (revision === null || revision === String(edge.rev)) return;
  throw new PreconditionFailedError(`Revision '${revision}' of the relationship is not the current one`, {
    id: 'OBJECT_REVISION',
    hint: `Read it again: it is at revision '${edge.rev}' now`,
  });
}

function noSuchPath(request: Request): NotFoundError {
  const name = request.method === 'create' ? [...request.path, request.newResourceId ?? ''] : request.path;
  return new NotFoundError(`Resource '${formatPath(name)}' not found`);
}
