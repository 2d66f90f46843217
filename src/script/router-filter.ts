import { type RouterFilterConfig, readPattern } from '#config/index.ts';
import { ResourceError, toResourceError, wordsOf } from '#errors/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context, Filter, Request, Response } from '#resource/index.ts';
import { formatPath, parsePatch } from '#resource/index.ts';
import { requestView } from './request-view.ts';
import { parseScriptReference, type ScriptReference } from './script-reference.ts';
import { type BindingsOf, REQUEST, RESOURCE_PATH, type ScriptUse } from './script-use.ts';
import type { Scripts } from './scripts.ts';

const OF_ALL = { request: REQUEST, resourcePath: RESOURCE_PATH, resourceName: RESOURCE_PATH } as const;
const KEPT_REQUEST = { ...REQUEST, keeps: true } as const;

/** Scripts of the filters of `router.json`, by their moments. */
export const FILTER_USES = {
  condition: { title: 'a filter of router.json: whether it looks at the request', bindings: OF_ALL },
  onRequest: {
    title: 'a filter of router.json, before the request goes on',
    bindings: { ...OF_ALL, request: KEPT_REQUEST },
  },
  onResponse: {
    title: 'a filter of router.json, before the answer goes back',
    bindings: {
      ...OF_ALL,
      response: {
        type: 'object',
        says: 'the answer: `content`, or `result` with a row for each object',
        keeps: true,
      },
    },
  },
  onFailure: {
    title: 'a filter of router.json, when the request has failed',
    bindings: { ...OF_ALL, exception: { type: 'object', says: '`code`, `reason`, `message`, `detail`' } },
  },
} as const satisfies Readonly<Record<string, ScriptUse>>;

type Moment = keyof typeof FILTER_USES;

/** One filter of `router.json`: which requests it looks at, and the scripts that look. */
export interface RouterFilter {
  readonly place: string;
  readonly pattern: RegExp | undefined;
  readonly methods: ReadonlySet<string> | undefined;
  readonly scripts: Readonly<Partial<Record<Moment, ScriptReference>>>;
}

/** @throws BadRequestError for a script reference that names no script */
export function readRouterFilter(config: RouterFilterConfig, place: string): RouterFilter {
  const scripts: Partial<Record<Moment, ScriptReference>> = {};
  for (const moment of ['condition', 'onRequest', 'onResponse', 'onFailure'] as const) {
    if (config[moment] === undefined) continue;
    scripts[moment] = parseScriptReference(config[moment] as JsonObject, `/${place}/${moment}`);
  }
  return {
    place,
    pattern: config.pattern === undefined ? undefined : readPattern(config.pattern),
    methods: config.methods === undefined ? undefined : new Set(config.methods),
    scripts,
  };
}

/** Takes from an answer what refers to objects that the caller may not read. */
export interface HideReferences {
  (context: Context, response: Response, handle: Parameters<Filter>[2]): Promise<Response>;
  readonly runsScripts: () => boolean;
}

/** What a request meets when it meets this filter. */
export function filterOf(filter: RouterFilter, scripts: () => Scripts, hide?: HideReferences): Filter {
  const meet: Filter = async (context, request, next) => {
    const seen = isAtWork(filter, context) ? undefined : asSeenBy(filter, request);
    if (seen === undefined) return next(context, request);
    // The filter does not look at what its own scripts ask for: it would look for ever.
    const own = { ...context, filtersAtWork: [...(context.filtersAtWork ?? []), filter] };
    const run = (moment: Moment, bindings: JsonObject, request: Request) =>
      evaluate({ filter, scripts: scripts(), moment, context: own, bindings, request });
    const { condition } = filter.scripts;
    if (condition !== undefined) {
      const holds = asksForExternal(condition)
        ? context.client.isExternal
        : (await run('condition', {}, seen)).value === true;
      if (!holds) return next(context, request);
    }
    let passed = request;
    if (filter.scripts.onRequest !== undefined) {
      const { bindings } = await run('onRequest', {}, seen);
      passed = withChanges(request, bindings['request']);
    }
    const response = await pursue(filter, context, () => next(context, passed)).catch(
      async (error: unknown) => {
        if (filter.scripts.onFailure === undefined) throw error;
        const { code, reason, message, detail } = toResourceError(error);
        const exception = { code, reason, message, detail: detail ?? null };
        await run('onFailure', { exception }, passed);
        throw error;
      },
    );
    // A caller who only asks whether a request may pass gets no answer of its kind.
    if (!answers(response, request)) return response;
    if (hide !== undefined) return hide(context, response, next);
    if (filter.scripts.onResponse === undefined) return response;
    const { bindings } = await run('onResponse', { response: responseView(response) }, passed);
    return withAnswer(response, bindings['response']);
  };
  // What the request causes may meet the filter as well, and cannot move to a script thread halfway.
  const { condition, onRequest, onResponse, onFailure } = filter.scripts;
  const isScripted =
    (onRequest ?? onResponse ?? onFailure) !== undefined ||
    (condition !== undefined && !asksForExternal(condition));
  return Object.assign(meet, {
    runsScripts: (request: Request, asksOthers: boolean) =>
      (isScripted || (hide?.runsScripts() ?? false)) &&
      (asksOthers || asSeenBy(filter, request) !== undefined),
    judgesAnswer: (request: Request) =>
      (hide !== undefined || onResponse !== undefined) && asSeenBy(filter, request) !== undefined
        ? [filter]
        : [],
  });
}

/**
 * Conditions of filters of the field that are decided here: there is no self-service, and nobody has privileges.
 * Without blanks, and in one kind of quotes.
 */
const EXTERNAL: ReadonlySet<string> = new Set([
  'context.caller.external',
  "context.caller.external||context.current.name==='selfservice'",
  "(context.caller.external||context.current.name==='selfservice')&&(typeofcontext.privilege==='undefined'||Object.keys(context.privilege.matchingPrivileges).length===0)",
]);

function asksForExternal({ language, source = '' }: ScriptReference): boolean {
  const plain = source.replace(/\s|;$/g, '').replaceAll('"', "'").replace('external===true', 'external');
  return language === 'javascript' && EXTERNAL.has(plain);
}

function isAtWork(filter: RouterFilter, { filtersAtWork }: Context): boolean {
  return filtersAtWork?.some((other) => (other as RouterFilter).place === filter.place) ?? false;
}

/**
 * The request in the form in which the filter is to look at it; undefined when it is not. A PUT that creates or
 * updates is both, so that no filter can be avoided by leaving the preconditions away.
 */
function asSeenBy({ pattern, methods }: RouterFilter, request: Request): Request | undefined {
  const fits = ({ method, path }: Request) =>
    (methods?.has(method) ?? true) && (pattern?.test(formatPath(path)) ?? true);
  if (fits(request)) return request;
  if (request.method !== 'create' || request.orUpdate !== true) return undefined;
  const { orUpdate: _, newResourceId, ...rest } = request;
  const path = [...request.path, newResourceId!];
  const update = { ...rest, method: 'update', path, revision: null } as const;
  return fits(update) ? update : undefined;
}

/** What fails is undone before `onFailure` is asked, whose own calls would fail in a broken transaction. */
function pursue(filter: RouterFilter, context: Context, work: () => Promise<Response>): Promise<Response> {
  const { unitOfWork } = context;
  if (unitOfWork === null || filter.scripts.onFailure === undefined) return work();
  return unitOfWork.savepoint(work);
}

function evaluate(given: {
  filter: RouterFilter;
  scripts: Scripts;
  moment: Moment;
  context: Context;
  request: Request;
  bindings: JsonObject;
}) {
  const { filter, scripts, moment, context, bindings } = given;
  const request = requestView(given.request);
  const path = formatPath(given.request.path);
  return scripts.evaluate(context, {
    reference: filter.scripts[moment]!,
    label: `router ${filter.place} ${moment}`,
    bindings: {
      ...bindings,
      ...({ request, resourcePath: path, resourceName: path } satisfies BindingsOf<
        typeof FILTER_USES.condition
      >),
    },
    returnBindings: ['request', 'response'],
  });
}

/** The request with what a script made of its content. */
function withChanges(request: Request, view: JsonValue | undefined): Request {
  if (!isObject(view)) return request;
  const content = view['content'];
  switch (request.method) {
    case 'create': {
      const id = view['newResourceId'];
      const isRenamed = typeof id === 'string' && request.orUpdate !== true;
      return {
        ...request,
        ...(isObject(content) ? { content } : {}),
        ...(isRenamed ? { newResourceId: id } : {}),
      };
    }
    case 'update':
      return isObject(content) ? { ...request, content } : request;
    case 'action':
      return { ...request, content: content ?? null };
    case 'patch':
      return withOperations(request, view['patchOperations'] ?? null);
    default:
      return request;
  }
}

function withOperations(request: Extract<Request, { method: 'patch' }>, operations: JsonValue): Request {
  if (equalJson(operations, requestView(request)['patchOperations']!)) return request;
  try {
    return { ...request, operations: parsePatch(operations) };
  } catch (error) {
    const message = wordsOf(error);
    throw new ResourceError(500, `A filter of router.json changed the patch, but ${message}`, {
      detail: { id: 'ROUTER_BAD_PATCH' },
      cause: error,
    });
  }
}

function answers(response: Response, request: Request): boolean {
  return (response.kind === 'action') === (request.method === 'action');
}

function responseView(response: Response): JsonObject {
  if (response.kind === 'action') return { content: response.content };
  if (response.kind === 'resource') return rowView(response);
  const { result, pagedResultsCookie, totalPagedResultsPolicy, totalPagedResults } = response;
  return {
    result: result.map(rowView),
    pagedResultsCookie,
    totalPagedResultsPolicy,
    totalPagedResults,
  };
}

function rowView({ id, revision, content }: Extract<Response, { kind: 'resource' }>): JsonObject {
  return { id, revision, content };
}

/** The answer with what a script made of its contents; a query may also have lost rows. */
function withAnswer(response: Response, view: JsonValue | undefined): Response {
  if (!isObject(view)) return response;
  if (response.kind !== 'query') return { ...response, content: view['content'] ?? null };
  const { result } = view;
  if (!Array.isArray(result)) throw unfit('response.result must stay a list');
  return {
    ...response,
    result: result.map((row) => {
      if (!isObject(row))
        throw unfit('each row of response.result must be an object {id, revision, content}');
      const { id, revision, content = null } = row;
      return { kind: 'resource', id: textOf(id), revision: textOf(revision), content };
    }),
  };
}

function textOf(value: JsonValue | undefined): string | null {
  return value === undefined || value === null ? null : String(value);
}

function unfit(message: string): ResourceError {
  return new ResourceError(500, `A filter of router.json changed the answer, but ${message}`, {
    detail: { id: 'ROUTER_BAD_ANSWER' },
  });
}
