import { BadRequestError, ForbiddenError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  type Context,
  isWordOfCaller,
  nestedContext,
  nextContext,
  notFound,
  queryResult,
  type Request,
  type Resource,
  type ResourceDescription,
  type Response,
  type RouteHandler,
  type RouteMatch,
  resource,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { performBulk } from './bulk.ts';
import { fieldsFor, WHOLE } from './fields.ts';
import { countOf, wholeNumber } from './read-query.ts';
import { type ResourceType, schemasOf } from './resource-type.ts';
import { saidOfAttributes } from './said-of-attributes.ts';
import { DISCOVERY, resourceTypeAnswer, schemaAnswers, serviceProviderConfig } from './schema-answer.ts';
import { ScimObjects, type ScimPage } from './scim-objects.ts';
import { type Ask, askAs, baseOf, type ScimPlatform } from './scim-platform.ts';

/** The query of a collection, whose words are those of SCIM: `filter`, `sortBy`, `startIndex`, … */
export const SCIM_QUERY = 'scim';
/** The part of the query of all types that is about one of them. */
const QUERY_OF_ALL = 'scim-all';
/**
 * Stands between a type and its cursor, in a cursor of all types: no endpoint has it in its name, no URL encodes it
 * (RFC 9865, 2).
 */
const OF_TYPE = '.';

/**
 * `/scim`: what SCIM 2.0 (RFC 7643, 7644) has at its root, as resources; the door speaks its protocol at `/scim/v2`. A client has the
 * rights that the rules grant to `scim/Users` and its like, and the server does what it asks for: it reaches what `scim.json`
 * names and nothing else. `/Me` is the caller's own object, asked for with the caller's own rights.
 */
export class ScimResource implements RouteHandler {
  readonly #platform: ScimPlatform;

  constructor(platform: ScimPlatform) {
    this.#platform = platform;
  }

  runsScripts(request: Request, { remaining }: RouteMatch): boolean {
    const [endpoint = ''] = remaining;
    if (DISCOVERY.has(endpoint)) return false;
    const type = this.#typeAt(endpoint);
    // A bulk request is about anything, and who somebody is only a request knows.
    if (type === undefined) return true;
    const id = remaining[1];
    const path = [...type.collection.split('/'), ...(id === undefined ? [] : [id])];
    const { router, types } = this.#platform;
    const fields = fieldsFor(type, types(), WHOLE);
    // What is changed is read before and after.
    const readRunsScripts = () => router.runsScripts({ method: 'read', path, fields, parameters: {} });
    if (request.method === 'read') return readRunsScripts();
    if (request.method !== 'query' && readRunsScripts()) return true;
    const isChange = request.method === 'update' || request.method === 'delete';
    if (request.method !== 'update' && router.runsScripts({ ...request, path, fields })) return true;
    if (!isChange) return false;
    // Before a group is deleted its members are taken away.
    const { parameters, revision } = request;
    return router.runsScripts({ method: 'patch', path, fields, parameters, revision, operations: [] });
  }

  /** SCIM is described by its own protocol. */
  describe(): readonly ResourceDescription[] {
    return [];
  }

  async handle(context: Context, request: Request, { remaining }: RouteMatch): Promise<Response> {
    const [endpoint, id, ...more] = remaining;
    if (endpoint === undefined) return this.#onRoot(context, request);
    if (more.length > 0) throw notFound(request);
    if (DISCOVERY.has(endpoint)) return this.#discover(context, request, endpoint, id);
    if (endpoint === 'Me') return this.#onMe(context, request, id);
    const type = this.#typeAt(endpoint);
    if (type === undefined) throw notFound(request);
    const saysForCaller = isWordOfCaller(context);
    const ask = askAs(this.#platform.router, () => ({ ...nestedContext(context), saysForCaller }), {
      isServer: true,
      tell: (error) => saidOfAttributes(type, error),
    });
    return this.#onType(context, request, this.#objects(context, type, request, ask), id);
  }

  #objects(context: Context, type: ResourceType, request: Request, ask: Ask): ScimObjects {
    const platform = this.#platform;
    const isOfAll = request.method === 'query' && request.queryId === QUERY_OF_ALL;
    const schemas = isOfAll ? platform.types().flatMap(schemasOf) : schemasOf(type);
    return new ScimObjects({ platform, context, type, ask, schemas, isOfAll });
  }

  async #onType(
    context: Context,
    request: Request,
    objects: ScimObjects,
    id: string | undefined,
  ): Promise<Response> {
    const { parameters } = request;
    switch (request.method) {
      case 'query':
        if (id !== undefined || (request.queryId !== SCIM_QUERY && request.queryId !== QUERY_OF_ALL))
          return unsupported(request);
        return objects.query(parameters);
      case 'read':
        if (id === undefined) return unsupported(request);
        return objects.read(id, parameters);
      case 'create':
        // The server gives ids, so that a PUT creates nothing.
        if (id !== undefined || request.newResourceId !== null) return unsupported(request);
        writeContext(context);
        return objects.create(request.content, parameters);
      case 'update':
        return objects.replace(id ?? unsupported(request), request.revision, request.content, parameters);
      case 'patch':
        return objects.patch(id ?? unsupported(request), request.revision, request.operations, parameters);
      case 'delete':
        return objects.remove(id ?? unsupported(request), request.revision);
      default:
        return unsupported(request);
    }
  }

  async #onMe(context: Context, request: Request, more: string | undefined): Promise<Response> {
    const { component, id } = context.security.authorization;
    const type = this.#platform.types().find(({ collection }) => collection === component);
    if (type === undefined || more !== undefined) {
      throw new NotFoundError('The caller is no resource of this service', {
        id: 'SCIM_NOBODY',
        hint: 'An API key and a program are nobody; /Me is for people, and keys ask for /Users',
      });
    }
    if (request.method === 'create' || request.method === 'query') return unsupported(request);
    const ask = askAs(this.#platform.router, () => nextContext(context), {
      tell: (error) => saidOfAttributes(type, error),
    });
    return this.#onType(context, request, this.#objects(context, type, request, ask), id);
  }

  /** `/Bulk`, and the query of all types at once. */
  async #onRoot(context: Context, request: Request): Promise<Response> {
    if (request.method === 'query') return this.#queryAll(context, request);
    if (request.method !== 'action' || request.action !== 'bulk') return unsupported(request);
    const { router } = this.#platform;
    const { unitOfWork } = writeContext(context);
    const done = await performBulk(request.content, baseOf(context), {
      isAllOrNone: isYes('allOrNone', request.parameters['allOrNone']),
      together: (work) => unitOfWork.savepoint(work),
      async perform(inner) {
        // Each is judged as if it had come by itself.
        const answer = await router.handle({ ...nextContext(context), survivable: true }, inner);
        const made = answer.kind === 'resource' ? answer : resource(null, null, {});
        const id = made.id ?? inner.path[2] ?? '';
        const location = `${baseOf(context)}/${inner.path[1]}/${encodeURIComponent(id)}`;
        return { id, location, version: made.revision };
      },
    });
    return { kind: 'action', ...done };
  }

  /** Page by page, type by type, as far as they may be asked for. A cursor says of which type the next page is, and where in it. */
  async #queryAll(context: Context, request: Extract<Request, { method: 'query' }>): Promise<Response> {
    const { parameters } = request;
    const { cursor, ...others } = parameters;
    const results: Resource[] = [];
    const count = countOf(parameters);
    const startIndex = Math.max(1, wholeNumber('startIndex', parameters['startIndex']) ?? 1);
    const ask = askAs(this.#platform.router, () => nextContext(context));
    const types = this.#platform.types();
    const from = cursor === undefined ? undefined : this.#placeIn(types, cursor);
    let skipped = from === undefined ? startIndex - 1 : 0;
    let total = 0;
    let next: string | null = null;
    for (const [at, { endpoint }] of types.entries()) {
      const isBefore = from !== undefined && at < from.at;
      const wanted = isBefore || next !== null ? 0 : Math.max(0, count - results.length);
      const begin: Record<string, string> =
        from === undefined
          ? { startIndex: String(skipped + 1) }
          : { cursor: at === from.at ? from.cursor : '' };
      const page = await ask.all({
        ...request,
        path: [...request.path, endpoint],
        queryId: QUERY_OF_ALL,
        parameters: { ...others, count: String(wanted), ...begin },
      });
      results.push(...page.result);
      skipped = Math.max(0, skipped - page.totalPagedResults);
      total += page.totalPagedResults;
      if (from === undefined || isBefore || next !== null || count === 0) continue;
      if (page.pagedResultsCookie !== null) next = `${endpoint}${OF_TYPE}${page.pagedResultsCookie}`;
      else if (results.length >= count)
        next = types[at + 1] === undefined ? null : `${types[at + 1]?.endpoint}${OF_TYPE}`;
    }
    const all = { ...queryResult(results), totalPagedResults: total };
    if (from !== undefined) return { ...all, pagedResultsCookie: next };
    const page: ScimPage = { ...all, startIndex };
    return page;
  }

  /** @throws BadRequestError for a cursor that is none of all types */
  #placeIn(types: readonly ResourceType[], text: string): { readonly at: number; readonly cursor: string } {
    if (text === '') return { at: 0, cursor: '' };
    const end = text.indexOf(OF_TYPE);
    const at = types.findIndex(({ endpoint }) => endpoint === text.slice(0, Math.max(0, end)));
    if (at !== -1) return { at, cursor: text.slice(end + 1) };
    throw new BadRequestError('The cursor is not one of all types', {
      id: 'PAGING_BAD_COOKIE',
      hint: 'Start again at the first page',
    });
  }

  async #discover(
    context: Context,
    request: Request,
    endpoint: string,
    id: string | undefined,
  ): Promise<Response> {
    const base = baseOf(context);
    const types = this.#platform.types();
    if (request.method !== 'read' && request.method !== 'query') return unsupported(request);
    if ((request.parameters['filter'] ?? '') !== '') {
      throw new ForbiddenError(`'${endpoint}' takes no filter`, { id: 'SCIM_NO_FILTER' });
    }
    if (endpoint === 'ServiceProviderConfig') {
      if (id !== undefined) throw notFound(request);
      return answered(serviceProviderConfig(types, base, this.#platform.bodyLimitBytes), null);
    }
    const all =
      endpoint === 'Schemas'
        ? schemaAnswers(types, base)
        : types.map((type) => resourceTypeAnswer(type, base));
    if (id === undefined) {
      const rows = all.map((one) => answered(one, String(one['id'])));
      return { ...queryResult(rows), totalPagedResults: rows.length };
    }
    const found = all.find((one) => String(one['id']).toLowerCase() === id.toLowerCase());
    if (found === undefined) throw notFound(request);
    return answered(found, String(found['id']));
  }

  #typeAt(endpoint: string): ResourceType | undefined {
    return this.#platform.types().find((type) => type.endpoint === endpoint);
  }
}

/** @throws BadRequestError for what is neither */
function isYes(name: string, text = 'false'): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new BadRequestError(`'${name}' is '${text}', not true or false`, { id: 'SCIM_BAD_VALUE' });
}

function answered(content: JsonObject, id: string | null): Resource {
  return { ...resource(id, null, content), fieldsSelected: true };
}
