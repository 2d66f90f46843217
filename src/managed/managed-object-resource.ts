import { findObject, objectStore } from '#repo/index.ts';
import {
  type Context,
  collection,
  notFound,
  type Request,
  type Resource,
  type RouteHandler,
  type RouteMatch,
  resource,
  unknownAction,
} from '#resource/index.ts';
import { describeType } from './describe-type.ts';
import type { Exchange, LifecycleRequest, ManagedPlatform } from './exchange.ts';
import { lifecycle } from './lifecycle.ts';
import type { HookName, ManagedType } from './managed-type.ts';
import { queryObjects } from './query-objects.ts';

const HOOKS_OF: Readonly<Record<Request['method'], readonly HookName[]>> = {
  create: ['onCreate', 'onValidate', 'onStore', 'postCreate'],
  read: ['onRetrieve', 'onRead'],
  update: ['onUpdate', 'onValidate', 'onStore', 'postUpdate'],
  patch: ['onUpdate', 'onValidate', 'onStore', 'postUpdate'],
  delete: ['onDelete', 'postDelete'],
  action: [],
  query: [],
};

/** `/managed/<type>` and `/managed/<type>/{id}`; the types are those of the configuration now in force. */
export function managedObjectResource(platform: ManagedPlatform): RouteHandler {
  const handlers = new WeakMap<ManagedType, RouteHandler>();

  function resolve(request: Request, match: RouteMatch) {
    const type = platform.types().get(match.remaining[0] ?? '');
    if (type === undefined) throw notFound(request);
    let handler = handlers.get(type);
    if (handler === undefined) {
      handler = typeHandler(platform, type);
      handlers.set(type, handler);
    }
    const inner = {
      matched: [...match.matched, match.remaining[0]!],
      remaining: match.remaining.slice(1),
      variables: match.variables,
    };
    return { handler, inner };
  }

  return {
    async handle(context, request, match) {
      const { handler, inner } = resolve(request, match);
      return handler.handle(context, request, inner);
    },
    runsScripts(request, match) {
      const type = platform.types().get(match.remaining[0] ?? '');
      // An upsert may turn into either of the two.
      const hooks =
        request.method === 'create' ? [...HOOKS_OF.create, ...HOOKS_OF.update] : HOOKS_OF[request.method];
      return type !== undefined && hooks.some((hook) => type.hooks[hook] !== undefined);
    },
    describe: (path) =>
      [...platform.types().values()].flatMap(
        (type) => typeHandler(platform, type).describe?.(`${path}/${type.name}`) ?? [],
      ),
  };
}

function typeHandler(platform: ManagedPlatform, type: ManagedType): RouteHandler {
  const run = async (context: Context, request: LifecycleRequest, id: string): Promise<Resource> => {
    const exchange: Exchange = {
      platform,
      context,
      request,
      type,
      id,
      stored: null,
      object: {},
      rev: null,
      done: false,
    };
    await lifecycle(exchange);
    return resource(exchange.id, exchange.rev === null ? null : String(exchange.rev), exchange.object);
  };
  return collection({
    description: describeType(type),
    create: (context, request) => run(context, request, ''),
    read: run,
    update: run,
    patch: run,
    delete: run,
    query: (context, request) => queryObjects(platform, context, request, type),
    actionOnCollection: async (_context, request) => unknownAction(request, []),
    actionOnInstance: async (_context, request) => unknownAction(request, []),
    async exists(context, id) {
      const db = context.unitOfWork === null ? platform.database.db : await context.unitOfWork.db();
      return (await findObject(db, objectStore(['managed', type.name]), id)) !== undefined;
    },
  });
}
