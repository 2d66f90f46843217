import {
  type Actor,
  type Database,
  runUnitOfWork,
  translateDatabaseError,
  type UnitOfWork,
} from '#database/index.ts';
import { didYouMean, NotFoundError, type ResourceError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Context, RouterContext } from './context.ts';
import type { ResourceDescription } from './description.ts';
import { dryRunReport, EVALUATION, rehearsedFailure, shownReport } from './dry-run-report.ts';
import { notFound } from './provider.ts';
import { isWrite, type Request } from './request.ts';
import { formatPath } from './resource-path.ts';
import { actionResult, type Response } from './response.ts';
import { type RouteHandler, type RouteMatch, RouteTable } from './route.ts';
import { withSealedAnswer } from './sealed-answer.ts';
import { selectFields } from './select-fields.ts';

type Handle = (context: Context, request: Request) => Promise<Response>;

/** Looks at a request before its handler, and at the answer after it. */
export interface Filter {
  (context: Context, request: Request, next: Handle): Promise<Response>;
  /** Whether it may have to run a script for the request, or for another one that the handler makes meanwhile. */
  readonly runsScripts?: (request: Request, asksOthers: boolean) => boolean;
}

export interface RouterOptions {
  readonly database: Database;
  readonly observe: Observe;
  /** In the order in which a request meets them. */
  readonly filters: readonly Filter[];
}

/**
 * The one road: every request of HTTP, of scripts, of jobs and of the server itself goes through `handle`. The
 * outermost write owns the unit of work; nested ones join it.
 */
export class Router {
  readonly #options: RouterOptions;
  readonly #table = new RouteTable();
  /** Through all filters to the handler. */
  readonly #road: Handle;
  /** Through all filters to where handlers begin. */
  readonly #gates: Handle;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#road = passing(options.filters, (context, request) => this.#dispatch(context, request));
    this.#gates = passing(options.filters, async () => actionResult(null));
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
    const { filters } = this.#options;
    if (filters.some((filter) => filter.runsScripts?.(request, asksOthers) ?? false)) return true;
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
    return { ...request, path: named.slice(0, -1), newResourceId: named.at(-1)! };
  }

  async handle(context: Context, request: Request): Promise<Response> {
    const answer = await this.#handle(context, request);
    const isShown = !context.client.isExternal || this.envelopesOf(request) === 'shows';
    return isShown ? answer : withSealedAnswer(answer);
  }

  /** What becomes of encrypted and hashed values on their way to and from callers outside. */
  envelopesOf(request: Request): RouteHandler['envelopes'] {
    return this.#find(request)?.handler.envelopes;
  }

  async #handle(context: Context, request: Request): Promise<Response> {
    const { unitOfWork } = context;
    if (!isWrite(request)) {
      try {
        return await this.#road(context, request);
      } catch (error) {
        // Inside a unit of work it is for the unit to judge the error.
        throw unitOfWork === null ? translateDatabaseError(error) : error;
      }
    }
    if (unitOfWork === null) return this.#own(context, request);
    unitOfWork.actor ??= actorOf(context);
    if (request.dryRun === true) return this.#rehearse(context, request, unitOfWork);
    const before = unitOfWork.changes.length;
    const answer = context.survivable
      ? await unitOfWork.savepoint(() => this.#road({ ...context, survivable: false }, request))
      : await this.#road(context, request);
    unitOfWork.sign(before, { ...unitOfWork.actor, transactionId: context.transactionId });
    return answer;
  }

  /** Whether the filters would let the request pass; nothing behind them is asked. @throws what they say against it */
  async admit(context: Context, request: Request): Promise<void> {
    await this.#gates(context, request);
  }

  /** Whether the rules let a caller evaluate scripts; then nothing that scripts say is kept from them. */
  async maySeeScripts(context: Context): Promise<boolean> {
    return !context.client.isExternal || this.#mayAsk(context, EVALUATION);
  }

  #mayAsk(context: Context, request: Request): Promise<boolean> {
    return this.admit(context, request).then(
      () => true,
      () => false,
    );
  }

  async #own(context: Context, request: Request): Promise<Response> {
    const { database, observe } = this.#options;
    const dryRun = request.dryRun === true;
    const { spent } = context.budget;
    let told: ResourceError | undefined;
    const { response, report } = await runUnitOfWork(
      database,
      {
        dryRun,
        callers: context.callersAtWork ?? 0,
        onRetry: (reason, attempt) => observe({ kind: 'database.retried', reason, attempt }),
        onEffectError: (part, error) => observe({ kind: 'server.failed', part, error }),
        onStatement: () => context.budget.spend('statements'),
      },
      async (unitOfWork) => {
        unitOfWork.actor = actorOf(context);
        // What runs again is numbered and paid for again.
        context.budget.rewind(spent);
        const made = { count: 0 };
        const inner = {
          ...context,
          unitOfWork,
          made,
          survivable: false,
          ...(dryRun ? { rehearsed: true } : {}),
        };
        const response = await this.#road(inner, request).catch((error: unknown) => {
          if (dryRun) told = rehearsedFailure(error, unitOfWork);
          throw error;
        });
        if (context.fence !== undefined && unitOfWork.isOpen) await context.fence(await unitOfWork.db());
        return { response, report: dryRun ? dryRunReport(response, unitOfWork) : undefined };
      },
    ).catch(async (error: unknown) => {
      throw told !== undefined && (await this.maySeeScripts(context)) ? told : error;
    });
    if (report === undefined || !context.client.isExternal) return report ?? response;
    if (await this.maySeeScripts(context)) return report;
    return shownReport(report, (asked) => this.#mayAsk(context, asked));
  }

  /** A dry run inside a unit of work: undone at its savepoint. */
  async #rehearse(context: Context, request: Request, unitOfWork: UnitOfWork): Promise<Response> {
    const changes = unitOfWork.changes.length;
    const effects = unitOfWork.effects.length;
    const lines = unitOfWork.log.length;
    return unitOfWork.savepoint(
      async () => {
        const response = await this.#road({ ...context, survivable: false, rehearsed: true }, request);
        return dryRunReport(response, unitOfWork, { changes, effects, lines });
      },
      { keep: false },
    );
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
    const answer = await found.handler.handle(
      { ...context, router: routerContext(found.match) },
      found.request,
      found.match,
    );
    const { fields, nestedFields } = request;
    // A part of an encrypted value would not be known for one.
    const isSealed = fields.length > 0 && context.client.isExternal && found.handler.envelopes !== 'shows';
    const response = isSealed ? withSealedAnswer(answer) : answer;
    if (response.kind === 'resource') return selectFields(response, fields, nestedFields);
    if (response.kind === 'action') return response;
    return { ...response, result: response.result.map((row) => selectFields(row, fields, nestedFields)) };
  }
}

function passing(filters: readonly Filter[], last: Handle): Handle {
  return filters.reduceRight<Handle>(
    (next, filter) => (context, request) => filter(context, request, next),
    last,
  );
}

function actorOf({ security, transactionId }: Context): Actor {
  return { userId: security.authenticationId, transactionId };
}

function routerContext({ matched, remaining, variables }: RouteMatch): RouterContext {
  return {
    matchedUri: formatPath(matched),
    remainingUri: formatPath(remaining),
    uriTemplateVariables: variables,
  };
}
