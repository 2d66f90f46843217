import { BadRequestError, NotFoundError, NotSupportedError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ActionTable } from './action-table.ts';
import { type Context, type WriteContext, writeContext } from './context.ts';
import type { ResourceDescription } from './description.ts';
import type {
  CreateRequest,
  DeleteRequest,
  PatchRequest,
  QueryRequest,
  ReadRequest,
  Request,
  UpdateRequest,
} from './request.ts';
import { formatPath } from './resource-path.ts';
import type { QueryResult, Resource, Response } from './response.ts';
import type { RouteHandler, RouteMatch } from './road/route.ts';

/** What a provider says of itself, for the API description. */
export interface ProviderDescription {
  readonly title: string;
  readonly schema?: JsonObject;
  /** A query that it answers, for whoever has read it instead. Default: `_queryFilter=true`. */
  readonly query?: string;
}

/** A collection and its instances. What is left out answers 501. */
export interface CollectionProvider {
  readonly description?: ProviderDescription;
  create?(context: WriteContext, request: CreateRequest): Promise<Resource>;
  query?(context: Context, request: QueryRequest): Promise<QueryResult>;
  readonly collectionActions?: ActionTable;
  read?(context: Context, request: ReadRequest, id: string): Promise<Resource>;
  update?(context: WriteContext, request: UpdateRequest, id: string): Promise<Resource>;
  delete?(context: WriteContext, request: DeleteRequest, id: string): Promise<Resource>;
  patch?(context: WriteContext, request: PatchRequest, id: string): Promise<Resource>;
  readonly instanceActions?: ActionTable<[id: string]>;
  /** Asked by an upsert, so that the create pipeline does not run on an existing object. */
  exists?(context: Context, id: string): Promise<boolean>;
  /** Whether a request runs scripts; asked of all but actions, which say it themselves. */
  runsScripts?(request: Request, id: string | null): boolean;
}

export interface SingletonProvider {
  readonly description?: ProviderDescription;
  read?(context: Context, request: ReadRequest): Promise<Resource>;
  update?(context: WriteContext, request: UpdateRequest): Promise<Resource>;
  patch?(context: WriteContext, request: PatchRequest): Promise<Resource>;
  readonly actions?: ActionTable;
  /** Whether a request runs scripts; asked of all but actions, which say it themselves. */
  runsScripts?(request: Request): boolean;
}

/** Serves a collection at the route and its instances one segment below; mount it as a prefix. */
export function collection(provider: CollectionProvider): RouteHandler {
  return {
    async handle(context, request, match) {
      if (match.remaining.length > 1) throw notFound(request);
      const id = match.remaining[0];
      return id === undefined
        ? handleCollection(provider, context, request, match)
        : handleInstance(provider, context, request, id);
    },
    runsScripts(request, { remaining: [id] }) {
      if (request.method !== 'action') return provider.runsScripts?.(request, id ?? null) ?? false;
      const actions = id === undefined ? provider.collectionActions : provider.instanceActions;
      return actions?.runsScripts(request) ?? false;
    },
    describe: (path) => describeCollection(provider, path),
  };
}

function describeCollection(provider: CollectionProvider, path: string): ResourceDescription[] {
  const { title = path, schema } = provider.description ?? {};
  const collectionActions = provider.collectionActions?.describe() ?? [];
  const instanceActions = provider.instanceActions?.describe() ?? [];
  const common = { title, ...(schema === undefined ? {} : { schema }) };
  const onCollection = (['create', 'query'] as const).filter((method) => provider[method] !== undefined);
  const onInstance = (['read', 'update', 'patch', 'delete'] as const).filter(
    (method) => provider[method] !== undefined,
  );
  const descriptions: ResourceDescription[] = [
    {
      path,
      kind: 'collection',
      ...common,
      methods: [...onCollection, ...(collectionActions.length === 0 ? [] : (['action'] as const))],
      actions: collectionActions,
    },
    {
      path: `${path}/{id}`,
      kind: 'instance',
      ...common,
      methods: [...onInstance, ...(instanceActions.length === 0 ? [] : (['action'] as const))],
      actions: instanceActions,
    },
  ];
  return descriptions.filter(({ methods }) => methods.length > 0);
}

function handleCollection(
  provider: CollectionProvider,
  context: Context,
  request: Request,
  match: RouteMatch,
): Promise<Response> {
  switch (request.method) {
    case 'create':
      return request.orUpdate === true
        ? upsert(provider, context, request, match)
        : (provider.create?.(writeContext(context), request) ?? unsupported(request));
    case 'query':
      return provider.query?.(context, request) ?? unsupported(request);
    case 'action':
      return provider.collectionActions?.run(writeContext(context), request) ?? unsupported(request);
    default:
      throw new BadRequestError(
        `The resource collection '${formatPath(request.path)}' cannot be ${PAST[request.method]}; name an object in it`,
        {
          id: 'RESOURCE_IS_A_COLLECTION',
          hint:
            request.method === 'read'
              ? `Ask for what is in it with ?${provider.description?.query ?? '_queryFilter=true'}, or for one with ${formatPath(request.path)}/<id>`
              : `Such as ${formatPath(request.path)}/<id>`,
        },
      );
  }
}

/** A PUT without preconditions: existence decides, so that only one of the two pipelines runs. */
async function upsert(
  provider: CollectionProvider,
  context: Context,
  request: CreateRequest,
  match: RouteMatch,
): Promise<Resource> {
  const { newResourceId, orUpdate: _, ...rest } = request;
  const id = newResourceId!;
  const update = () =>
    handleInstance(
      provider,
      context,
      { ...rest, method: 'update', path: [...match.matched, id], revision: null },
      id,
    );
  if (provider.exists === undefined || (await provider.exists(context, id))) {
    try {
      return (await update()) as Resource;
    } catch (error) {
      if (provider.exists !== undefined || !(error instanceof NotFoundError)) throw error;
    }
  }
  const create =
    provider.create?.(writeContext(context), { ...rest, newResourceId: id }) ?? unsupported(request);
  try {
    return { ...(await create), created: true };
  } catch (error) {
    // Somebody else created it since we looked.
    if (error instanceof PreconditionFailedError && (await provider.exists?.(context, id)) === true) {
      return (await update()) as Resource;
    }
    throw error;
  }
}

function handleInstance(
  provider: CollectionProvider,
  context: Context,
  request: Request,
  id: string,
): Promise<Response> {
  switch (request.method) {
    case 'read':
      return provider.read?.(context, request, id) ?? unsupported(request);
    case 'update':
      return provider.update?.(writeContext(context), request, id) ?? unsupported(request);
    case 'delete':
      return provider.delete?.(writeContext(context), request, id) ?? unsupported(request);
    case 'patch':
      return provider.patch?.(writeContext(context), request, id) ?? unsupported(request);
    case 'action':
      return provider.instanceActions?.run(writeContext(context), request, id) ?? unsupported(request);
    default:
      // A PUT below an object names nothing that there could be.
      if (request.method === 'create' && request.newResourceId !== null) throw notFound(request);
      throw new BadRequestError(
        `The resource instance '${formatPath(request.path)}' cannot be ${PAST[request.method]}; address its collection`,
        { id: 'RESOURCE_IS_AN_INSTANCE' },
      );
  }
}

/** Serves one resource at exactly the route. */
export function singleton(provider: SingletonProvider): RouteHandler {
  return {
    async handle(context, request, match) {
      if (match.remaining.length > 0) throw notFound(request);
      switch (request.method) {
        case 'read':
          return provider.read?.(context, request) ?? unsupported(request);
        case 'update':
          return provider.update?.(writeContext(context), request) ?? unsupported(request);
        case 'patch':
          return provider.patch?.(writeContext(context), request) ?? unsupported(request);
        case 'action':
          return provider.actions?.run(writeContext(context), request) ?? unsupported(request);
        default:
          if (request.method === 'create' && request.newResourceId !== null) throw notFound(request);
          throw new BadRequestError(
            `The singleton resource '${formatPath(request.path)}' cannot be ${PAST[request.method]}`,
            { id: 'RESOURCE_IS_A_SINGLETON' },
          );
      }
    },
    runsScripts: (request) =>
      (request.method === 'action'
        ? provider.actions?.runsScripts(request)
        : provider.runsScripts?.(request)) ?? false,
    describe(path) {
      const { title = path, schema } = provider.description ?? {};
      const actions = provider.actions?.describe() ?? [];
      const methods = (['read', 'update', 'patch'] as const).filter(
        (method) => provider[method] !== undefined,
      );
      return [
        {
          path,
          kind: 'singleton',
          title,
          methods: [...methods, ...(actions.length === 0 ? [] : (['action'] as const))],
          actions,
          ...(schema === undefined ? {} : { schema }),
        },
      ];
    },
  };
}

const PAST = {
  create: 'created',
  read: 'read',
  update: 'updated',
  delete: 'deleted',
  patch: 'patched',
  action: 'acted upon',
  query: 'queried',
} as const;

/** A path that leads nowhere, below a resource or beside all of them. */
export class UnknownPathError extends NotFoundError {}

export function notFound(request: Request): UnknownPathError {
  const named = request.method === 'create' && request.newResourceId !== null ? [request.newResourceId] : [];
  return new UnknownPathError(`Resource '${formatPath([...request.path, ...named])}' not found`);
}

export function unsupported(request: Request): never {
  throw new NotSupportedError(
    `The operation '${request.method}' is not supported by '${formatPath(request.path)}'`,
  );
}
