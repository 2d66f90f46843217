import { BadRequestError, didYouMean, NotFoundError, type ResourceError } from '#errors/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import {
  collection,
  hasTransform,
  notFound,
  type Request,
  type Resource,
  type RouteHandler,
  type RouteMatch,
  readerOf,
  type WriteContext,
} from '#resource/index.ts';
import { describeRelationships, describeType } from './describe-type.ts';
import { newExchange, type WriteRequest } from './exchange.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';
import { collectionActions, objectActions } from './object-actions.ts';
import { queryObjects } from './query-objects.ts';
import type { Relationship } from './relationship/relationship.ts';
import { RelationshipResource } from './relationship/relationship-resource.ts';
import { followsReferences } from './retrieve/field-plan.ts';
import { runLifecycle } from './run-lifecycle.ts';

/**
 * `/managed/<type>`, `/managed/<type>/{id}` and the relationships below it; the types are those of the configuration
 * now in force.
 */
export function managedObjectResource(platform: ManagedPlatform): RouteHandler {
  const handlers = new WeakMap<ManagedType, RouteHandler>();

  function handlerOf(type: ManagedType): RouteHandler {
    const handler = handlers.get(type) ?? typeHandler(platform, type);
    handlers.set(type, handler);
    return handler;
  }

  return {
    envelopes: 'sealsAndPairs',
    async handle(context, request, match) {
      const type = platform.types.current().get(match.remaining[0] ?? '');
      if (type === undefined) throw noSuchType(platform, request, match);
      const edges = edgesAt(type, request, match);
      if (edges !== undefined) {
        const { ownerId, relationship, edgeId } = edges;
        return new RelationshipResource(platform, type, ownerId, relationship).handle(
          context,
          request,
          edgeId,
        );
      }
      return handlerOf(type).handle(context, request, {
        matched: [...match.matched, type.name],
        remaining: match.remaining.slice(1),
        variables: match.variables,
      });
    },
    runsScripts(request, match) {
      const type = platform.types.current().get(match.remaining[0] ?? '');
      return type !== undefined && mayRunScripts(platform, type, request, match);
    },
    describe: (path) =>
      [...platform.types.current().values()].flatMap((type) => [
        ...(handlerOf(type).describe?.(`${path}/${type.name}`) ?? []),
        ...describeRelationships(type, `${path}/${type.name}`),
      ]),
  };
}

/** A PUT to a type looks like the creation of the type. */
function noSuchType(platform: ManagedPlatform, request: Request, { remaining }: RouteMatch): ResourceError {
  const { method } = request;
  const name = method === 'create' && remaining.length === 0 ? request.newResourceId : null;
  const types = platform.types.current();
  if (name === null || !types.has(name)) {
    const { message } = notFound(request);
    const hint = didYouMean(name ?? remaining[0] ?? '', types.keys());
    return new NotFoundError(message, {
      id: 'MANAGED_UNKNOWN_TYPE',
      hint: hint ?? `Types of managed.json are ${[...types.keys()].join(', ')}`,
    });
  }
  return new BadRequestError(
    `The resource collection 'managed/${name}' cannot be updated; name an object in it`,
    {
      id: 'RESOURCE_IS_A_COLLECTION',
    },
  );
}

/** The relationship that a path leads to, if it does. A PUT of a singleton comes as a create below its object. */
function edgesAt(
  type: ManagedType,
  request: Request,
  { remaining }: RouteMatch,
): { ownerId: string; relationship: Relationship; edgeId: string | null } | undefined {
  const [, ownerId, property, edgeId, ...more] = remaining;
  if (ownerId === undefined || more.length > 0) return undefined;
  if (property === undefined) {
    if (request.method !== 'create' || request.newResourceId === null) return undefined;
    const single = type.relationships.get(request.newResourceId);
    return single === undefined || single.isArray
      ? undefined
      : { ownerId, relationship: single, edgeId: null };
  }
  const relationship = type.relationships.get(property);
  return relationship === undefined ? undefined : { ownerId, relationship, edgeId: edgeId ?? null };
}

function mayRunScripts(
  platform: ManagedPlatform,
  type: ManagedType,
  request: Request,
  match: RouteMatch,
): boolean {
  const { runsScripts } = type;
  if (hasTransform(request)) return true;
  const stores = request.method !== 'read' && request.method !== 'query' && request.method !== 'delete';
  if (isToldOf(platform, type, request)) return true;
  if (stores && platform.enforcesPolicies() && platform.policies().runsScripts(`managed/${type.name}`))
    return true;
  const edges = edgesAt(type, request, match);
  if (edges !== undefined) {
    // Edges are written by an update of their object; their fields may be those of any type.
    const writes = request.method !== 'read' && request.method !== 'query';
    return (
      (writes && runsScripts.update) || (request.fields.length > 0 && platform.types.someReadRunsScripts)
    );
  }
  return (
    runsScripts[request.method] ||
    (platform.types.someReadRunsScripts && (followsReferences(type, request.fields) || readsOthers(request)))
  );
}

/** Whether a synchronization may be told of the request, whose mappings have scripts, and whose targets have hooks. */
function isToldOf({ synchronizer, types }: ManagedPlatform, type: ManagedType, { method }: Request): boolean {
  if (!synchronizer.isActive || method === 'read' || method === 'query') return false;
  const concernsOthers = type.relationships.size > 0 || types.dependentsOn(type.name).length > 0;
  return concernsOthers || synchronizer.keepsCopies(`managed/${type.name}`);
}

/** An explanation shows of what references lead to as much as a read of it. */
function readsOthers(request: Request): boolean {
  return request.method === 'action' && request.action === 'explain';
}

function typeHandler(platform: ManagedPlatform, type: ManagedType): RouteHandler {
  const run = (context: WriteContext, request: WriteRequest, id: string): Promise<Resource> =>
    runLifecycle(newExchange(platform, context, type, request, id));
  return collection({
    description: describeType(type),
    create: (context, request) => run(context, request, ''),
    read: (context, request, id) => runLifecycle(newExchange(platform, context, type, request, id)),
    update: run,
    patch: run,
    delete: run,
    query: (context, request) => queryObjects(platform, context, request, type),
    collectionActions: collectionActions(platform, type),
    instanceActions: objectActions(platform, type),
    async exists(context, id) {
      const db = await readerOf(platform, context);
      return (await findObject(db, objectStore(['managed', type.name]), id)) !== undefined;
    },
  });
}
