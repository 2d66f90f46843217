import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { findObject, objectStore, pageTotals } from '#repo/index.ts';
import {
  applyPatch,
  type Context,
  dbOf,
  formatPath,
  type PatchRequest,
  plainQuery,
  type QueryRequest,
  type QueryResult,
  questionReaderOf,
  type Request,
  type Resource,
  type Response,
  resource,
  type UpdateRequest,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { newExchange } from '../exchange.ts';
import { lifecycle } from '../lifecycle.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { queryOfCaller } from '../retrieve/query-of-caller.ts';
import { withOwnEnvelopes } from '../secret.ts';
import { answerEdges, edgeResource } from './answer-edges.ts';
import { type Edge, edgeValue, parseEdge, type WantedEdge } from './edge.ts';
import type { EdgeEdit } from './edge-edit.ts';
import { isOfTheEdge, queryEdges } from './edge-query-repository.ts';
import { findEdge } from './edge-repository.ts';
import { asksForTargets, findHiddenTargets } from './hidden-targets.ts';
import type { Relationship } from './relationship.ts';
import { strayWarnings } from './stray-reference.ts';

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
        const { newResourceId, orUpdate } = request;
        const edit = {
          edgeId: newResourceId,
          make: { ...this.#wanted(context, request.content), id: newResourceId },
          ...(orUpdate === true ? { change: this.#replacement(context, request) } : {}),
        };
        return this.#edit(context, request, edit);
      }
      case 'patch':
        // Rules judge who adds and removes one; only the server itself asks for many at once.
        if (context.client.isExternal) break;
        return this.#editSeveral(context, request);
      case 'action':
        return unsupported(request);
      default:
        break;
    }
    throw new BadRequestError(
      `'${formatPath(request.path)}' is a collection of relationships; name one of them`,
      { id: 'RESOURCE_IS_A_COLLECTION' },
    );
  }

  /** `add` and `remove` of references: what is as it shall be stays as it is. It is answered with the revision of the owner. */
  async #editSeveral(context: Context, { operations, ...request }: PatchRequest): Promise<Resource> {
    const meant = operations.map(({ operation, value = null }) => {
      if (operation !== 'add' && operation !== 'remove') {
        throw new BadRequestError(`'${operation}' does not fit '${formatPath(request.path)}'`, {
          id: 'RESOURCE_IS_A_COLLECTION',
          hint: 'One of add, remove',
        });
      }
      return { operation, wanted: { ...parseEdge(value, '/_ref'), id: null } };
    });
    const of = (name: string) =>
      meant.flatMap(({ operation, wanted }) => (operation === name ? [wanted] : []));
    const several = { add: of('add'), remove: of('remove').map(({ target }) => target) };
    const exchange = await this.#live(context, { ...request, operations }, { edgeId: null, several });
    const revision = exchange.rev === null ? null : String(exchange.rev);
    return { ...resource(this.#ownerId, revision, {}), fieldsSelected: true };
  }

  async #onEdge(context: Context, request: Request, edgeId: string | null): Promise<Response> {
    const isSingle = edgeId === null;
    switch (request.method) {
      case 'read': {
        const db = await dbOf(this.#platform, context);
        const edge = await findEdge(db, this.#owner(), edgeId);
        if (edge === undefined) throw noSuchPath(request);
        return this.#answer(context, request, edge);
      }
      case 'create': {
        if (!isSingle || request.orUpdate !== true) break;
        const make = { ...this.#wanted(context, request.content), id: null };
        return this.#edit(context, request, { edgeId, make, change: this.#replacement(context, request) });
      }
      case 'update': {
        const { revision } = request;
        return this.#edit(context, request, {
          edgeId,
          revision,
          change: this.#replacement(context, request),
        });
      }
      case 'patch': {
        const { revision, operations } = request;
        const change = async (edge: Edge) => {
          const content = await applyPatch(edgeValue(edge), operations, context);
          return { ...this.#wanted(context, content, edge), id: edge.id };
        };
        return this.#edit(context, request, { edgeId, revision, change });
      }
      case 'delete': {
        if (isSingle) break;
        return this.#edit(context, request, { edgeId, revision: request.revision, change: () => null });
      }
      case 'action':
        return unsupported(request);
    }
    throw new BadRequestError(
      `'${formatPath(request.path)}' is a single relationship and cannot take a ${request.method}`,
      { id: 'RESOURCE_IS_A_SINGLETON', hint: 'Set or clear it through its object' },
    );
  }

  /** The edge as the body says it. @param edge as it is stored; undefined for a new one */
  #wanted({ client }: Context, content: JsonObject, edge?: Edge): WantedEdge {
    const stored = edge === undefined ? undefined : edgeValue(edge);
    return parseEdge(client.isExternal ? withOwnEnvelopes(content, stored) : content, '/_ref');
  }

  #replacement(context: Context, { content }: { readonly content: JsonObject }) {
    return (edge: Edge): WantedEdge => ({ ...this.#wanted(context, content, edge), id: edge.id });
  }

  /** The owner goes through its own life, with its hooks and its revision. */
  async #edit(
    context: Context,
    request: Request,
    edit: Pick<EdgeEdit, 'edgeId' | 'make' | 'change'> & { readonly revision?: string | null },
  ): Promise<Resource> {
    const exchange = await this.#live(context, request, edit);
    const { edited } = exchange;
    if (edited === null) throw noSuchPath(request);
    const answer = withWarnings(
      await this.#answer(context, request, edited.edge),
      context.client.isExternal ? strayWarnings(exchange.edgeChanges) : [],
    );
    return edited.isNew ? { ...answer, created: true } : answer;
  }

  async #live(
    context: Context,
    request: Request,
    edit: Pick<EdgeEdit, 'edgeId' | 'make' | 'change' | 'several'> & { readonly revision?: string | null },
  ) {
    const update: UpdateRequest = {
      method: 'update',
      path: ['managed', this.#type.name, this.#ownerId],
      fields: [],
      parameters: request.parameters,
      revision: null,
      content: {},
    };
    const exchange = newExchange(this.#platform, writeContext(context), this.#type, update, this.#ownerId, {
      edit: {
        revision: null,
        ...edit,
        relationship: this.#relationship,
        notFound: () => noSuchPath(request),
      },
    });
    await lifecycle(exchange);
    return exchange;
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
    const { query, sortKeys } = queryOfCaller(context, this.#privates(), asked, request.sortKeys);
    const { filter } = query;
    const hidden =
      context.client.isExternal && asksForTargets({ filter, sortKeys }, isOfTheEdge)
        ? await findHiddenTargets(this.#platform, context, db, this.#owner())
        : { objects: [], collections: [] };
    const reader = await questionReaderOf(this.#platform, context);
    const page = await queryEdges(reader, this.#owner(), { ...request, sortKeys }, query, hidden);
    const result = query.idsOnly
      ? page.rows.map(({ id }) => edgeResource({ _id: id }))
      : await this.#answers(context, request, page.rows);
    return {
      kind: 'query',
      result,
      ...pageTotals(page),
    };
  }

  async #answer(context: Context, request: Request, edge: Edge): Promise<Resource> {
    return (await this.#answers(context, request, [edge]))[0]!;
  }

  #answers(context: Context, request: Request, edges: readonly Edge[]): Promise<Resource[]> {
    const { property } = this.#relationship;
    return answerEdges(this.#platform, context, this.#type, property, request, edges);
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

function withWarnings(answer: Resource, warnings: readonly string[]): Resource {
  const { content } = answer;
  if (warnings.length === 0 || !isObject(content)) return answer;
  return { ...answer, content: { ...content, warnings: [...warnings] } };
}

function noSuchPath(request: Request): NotFoundError {
  const name = request.method === 'create' ? [...request.path, request.newResourceId ?? ''] : request.path;
  return new NotFoundError(`Resource '${formatPath(name)}' not found`);
}
