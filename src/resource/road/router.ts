import { didYouMean, ForbiddenError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonValue, lastOf } from '#json/index.ts';
import { mapInTurns } from '../budget.ts';
import { type Context, isWordOfCaller, type RouterContext } from '../context.ts';
import type { ResourceDescription } from '../description.ts';
import { notFound, UnknownPathError } from '../provider.ts';
import { isWrite, type ReadRequest, type Request } from '../request.ts';
import { formatPath, type ResourcePath } from '../resource-path.ts';
import { type ActionResult, actionResult, type Resource, type Response } from '../response.ts';
import { resourceBody, selectFields } from '../select-fields.ts';
import { EVALUATION } from './dry-run-report.ts';
import { type Filter, type Handle, passing } from './filter.ts';
import { type RouteHandler, type RouteMatch, RouteTable } from './route.ts';
import { selectFromSealed } from './sealed-answer.ts';

/** What a request meets before its handler, in this order. */
export interface Road {
  /** They see to how it is done, whatever it is. */
  readonly before: readonly Filter[];
  /** They look at what it is, and may refuse it. */
  readonly judging: readonly Filter[];
}

/**
 * The one road: every request of HTTP, of scripts, of jobs and of the server itself goes through `handle`.
 */
export class Router {
  readonly #table = new RouteTable();
  readonly #judging: readonly Filter[];
  /** Through all filters to the handler. */
  readonly handle: Handle;
  /** Through those that judge, to where handlers begin. */
  readonly #judges: Handle;

  constructor(road: (router: Router) => Road) {
    const { before, judging } = road(this);
    this.#judging = judging;
    this.handle = passing([...before, ...judging], (context, request) => this.#dispatch(context, request));
    this.#judges = passing(judging, (context, request) =>
      // What rules read for their judgement they do read.
      context.client.isExternal ? pass() : this.#dispatch(context, request),
    );
  }

  /** @returns a function that takes the route away again */
  mount(pattern: string, handler: RouteHandler): () => void {
    return this.#table.add(pattern, handler);
  }

  /** What can be asked of everything that is mounted now. */
  describe(): readonly ResourceDescription[] {
    return this.#table.describe();
  }

  /** Whether the request must be executed where scripts may run. */
  runsScripts(request: Request): boolean {
    const found = this.#find(request);
    const asksOthers = found?.handler.asksOthers ?? true;
    if (this.#judging.some((filter) => filter.runsScripts?.(request, asksOthers) ?? false)) return true;
    // What it may bring, and what a rehearsal tells, depends on whether its caller may evaluate scripts.
    if (isWrite(request) && this.judgesByScript([EVALUATION])) return true;
    // What a write answers is looked at like the answer to a read.
    const read = readOf(pathOf(request, null), request);
    if (isWrite(request) && this.judgesByScript([read])) return true;
    return found?.handler.runsScripts?.(found.request, found.match) ?? false;
  }

  /**
   * The request with its path as the routes write it. Routes are met whatever the case of their names; access rules,
   * filters and the audit compare letter by letter, and must not be got round by an `ENDPOINT/secret`.
   */
  named(request: Request): Request {
    if (request.method !== 'create' || request.newResourceId === null) {
      const path = this.#table.named(request.path);
      return path === request.path ? request : { ...request, path };
    }
    const whole = [...request.path, request.newResourceId];
    const named = this.#table.named(whole);
    if (named === whole) return request;
    return { ...request, path: named.slice(0, -1), newResourceId: lastOf(named) };
  }

  /** What becomes of encrypted and hashed values on their way to and from callers outside. */
  envelopesOf(request: Request): RouteHandler['envelopes'] {
    return this.#find(request)?.handler.envelopes;
  }

  /** Whether the filters would let the request pass; nothing behind them is asked. @throws what they say against it */
  async admit(context: Context, request: Request): Promise<void> {
    const judges = context.client.isExternal ? this.#judges : passing(this.#judging, pass);
    await judges(context, request);
  }

  /**
   * As `admit`; where a filter looks at the answer it is read, so that one that is hidden is not told from one that is not there.
   *
   * @throws what stands against it
   */
  async admitRead(context: Context, request: ReadRequest): Promise<void> {
    await (this.judgesAnswer(request) ? this.handle(context, request) : this.admit(context, request));
  }

  /** Whether the rules let a caller evaluate scripts; then nothing that scripts say is kept from them. */
  async maySeeScripts(context: Context): Promise<boolean> {
    if (!isWordOfCaller(context)) return true;
    // What the server asks word for word as a caller has sent it is judged by what that caller may do.
    return this.mayAsk({ ...context, client: { ...context.client, isExternal: true } }, EVALUATION);
  }

  /**
   * Whoever sends what the server is to run, with its own rights, may have it evaluate scripts as well.
   *
   * @param field JSON pointer of it in what was sent
   * @throws ForbiddenError `SCRIPT_NOT_ALLOWED`
   */
  async requireScriptRight(context: Context, field: string): Promise<void> {
    if (await this.maySeeScripts(context)) return;
    throw new ForbiddenError(
      `'${field}' would run with the rights of the server, and you may not evaluate scripts`,
      {
        id: 'SCRIPT_NOT_ALLOWED',
        field,
        hint: "Leave it as it is. What is new there is sent by those whom script/access.js grants the action eval of 'script'",
      },
    );
  }

  /** Whether it may take a script to say if one of these requests is admitted. */
  judgesByScript(requests: readonly Request[]): boolean {
    return requests.some((request) =>
      this.#judging.some((filter) => filter.runsScripts?.(request, false) ?? false),
    );
  }

  /** Whether the filters would let the request pass, without what they say against it. */
  mayAsk(context: Context, request: Request): Promise<boolean> {
    return this.admit(context, request).then(
      () => true,
      () => false,
    );
  }

  /** Whether a filter looks at the answer to the request, and may change it. */
  judgesAnswer(request: Request): boolean {
    return this.#judgesOf(request).length > 0;
  }

  #judgesOf(request: Request): readonly object[] {
    return this.#judging.flatMap((filter) => filter.judgesAnswer?.(request) ?? []);
  }

  /**
   * What a read would leave of the resource that a write answers with; only its id and revision where a rule or a filter refuses
   * that. Filters that look at the answer of the write itself have had their say. Whoever has made something is told what it is.
   */
  async answered(context: Context, request: Request, answer: Response): Promise<Response> {
    if (!isWrite(request) || answer.kind === 'query') return answer;
    const path = answer.kind === 'action' ? answer.shows : pathOf(request, answer.id);
    if (path === undefined) return answer;
    const read = readOf(path, request);
    const own = this.#judgesOf(request);
    const isOwn = isMade(request, answer) || this.#find(request)?.handler.answersFreely === true;
    if (isOwn && this.#judgesOf(read).every((filter) => own.includes(filter))) return answer;
    const reader = { ...context, filtersAtWork: [...(context.filtersAtWork ?? []), ...own] };
    const whole = asResource(answer);
    const shown = await this.shown(reader, read, whole);
    const left = shown?.kind === 'resource' ? shown : { ...whole, content: {} };
    return answer.kind === 'action' ? { ...answer, content: resourceBody(left) } : left;
  }

  /** What the filters leave of an answer to the request; nothing behind them is asked. @throws what they say against it */
  async judged(context: Context, request: Request, answer: Response): Promise<Response> {
    const own = { ...context };
    const judges = passing(this.#judging, async (inner, asked) =>
      inner === own || inner.client.isExternal ? answer : this.#dispatch(inner, asked),
    );
    return judges(own, request);
  }

  /** The same; undefined where they would not let it pass. */
  shown(context: Context, request: Request, answer: Response): Promise<Response | undefined> {
    return this.judged(context, request, answer).catch(() => undefined);
  }

  /** A PUT without preconditions names an object; where only that path has a route, it can but update. */
  #find(request: Request) {
    const found = this.#table.find(request.path);
    if (found !== undefined) return { ...found, request };
    if (request.method !== 'create' || request.orUpdate !== true) return undefined;
    const { orUpdate: _, newResourceId, ...rest } = request;
    const path = [...request.path, newResourceId!];
    const update = { ...rest, method: 'update', path, revision: null } as const;
    const inner = this.#table.find(path);
    return inner === undefined ? undefined : { ...inner, request: update };
  }

  /** Why a path leads nowhere, with the one that may have been meant. */
  unknown(request: Request): NotFoundError {
    const { message } = notFound(request);
    const depth = request.path.length;
    if (depth === 0) return new NotFoundError(message);
    const paths = new Set(this.describe().map(({ path }) => path.split('/').slice(0, depth).join('/')));
    const asked = formatPath(request.path);
    // There may be something below it, and not itself.
    const hint = paths.has(asked) ? undefined : didYouMean(asked, paths);
    return new NotFoundError(message, hint === undefined ? {} : { id: 'RESOURCE_UNKNOWN', hint });
  }

  async #dispatch(context: Context, request: Request): Promise<Response> {
    const found = this.#find(request);
    if (found === undefined) throw this.unknown(request);
    const inner = { ...context, router: routerContext(found.match) };
    let answer: Response;
    try {
      answer = await found.handler.handle(inner, found.request, found.match);
    } catch (error) {
      throw error instanceof UnknownPathError ? this.unknown(request) : error;
    }
    const { fields, nestedFields } = request;
    if (fields.length === 0 || answer.kind === 'action') return answer;
    const isSealed = context.client.isExternal && found.handler.envelopes !== 'shows';
    const select = isSealed ? selectFromSealed : selectFields;
    const selectFrom = (row: Resource) => select(row, fields, nestedFields);
    if (answer.kind === 'resource') return selectFrom(answer);
    return { ...answer, result: await mapInTurns(answer.result, selectFrom) };
  }
}

/** Where the resource stands that a write answers with. @param id of one that the server has named */
function pathOf(request: Request, id: string | null): ResourcePath {
  return request.method === 'create' ? [...request.path, request.newResourceId ?? id ?? '*'] : request.path;
}

function readOf(path: ResourcePath, { fields }: Request): ReadRequest {
  return { method: 'read', path, fields, parameters: {} };
}

/** Nothing of it had stood there before. */
function isMade(request: Request, answer: Resource | ActionResult): boolean {
  return (
    request.method === 'create' && answer.kind === 'resource' && (answer.created ?? request.orUpdate !== true)
  );
}

function asResource(answer: Resource | ActionResult): Resource {
  if (answer.kind === 'resource') return answer;
  const { _id = null, _rev = null, ...content } = isObject(answer.content) ? answer.content : {};
  return { kind: 'resource', id: textOf(_id), revision: textOf(_rev), content };
}

function textOf(value: JsonValue): string | null {
  return value === null ? null : String(value);
}

async function pass(): Promise<Response> {
  return actionResult(null);
}

function routerContext({ matched, remaining, variables }: RouteMatch): RouterContext {
  return {
    matchedUri: formatPath(matched),
    remainingUri: formatPath(remaining),
    uriTemplateVariables: variables,
  };
}
