import {
  type Actor,
  type Database,
  databaseWait,
  inTime,
  runUnitOfWork,
  translateDatabaseError,
  type UnitOfWork,
} from '#database/index.ts';
import { answerTooLarge, type ResourceError } from '#errors/index.ts';
import { fitsWritten } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Context } from '../context.ts';
import { isWrite, type Request } from '../request.ts';
import { askerOf } from '../request-database.ts';
import type { Response } from '../response.ts';
import { dryRunReport, rehearsedFailure, shownReport } from './dry-run-report.ts';
import type { Filter, Handle } from './filter.ts';
import { RenewedCaller } from './renewed-caller.ts';

export interface UnitOfWorkOptions {
  readonly database: Database;
  readonly observe: Observe;
  /** The most bytes of an answer that leaves the server. */
  readonly answerLimitBytes: number;
  /** What may be shown of a rehearsal. */
  readonly router: {
    maySeeScripts(context: Context): Promise<boolean>;
    shown(context: Context, request: Request, answer: Response): Promise<Response | undefined>;
    answered(context: Context, request: Request, answer: Response): Promise<Response>;
  };
}

/** The outermost write owns the unit of work, and nested ones join it: an error means that nothing has changed. */
export function inUnitOfWork(options: UnitOfWorkOptions): Filter {
  return async (context, request, next) => {
    const { unitOfWork } = context;
    if (!isWrite(request)) {
      try {
        const answer = renewed(context).then((asker) => next(asker, request));
        return await (context.client.isExternal ? inTime(answer) : answer);
      } catch (error) {
        // Inside a unit of work it is for the unit to judge the error.
        throw unitOfWork === null ? translateDatabaseError(error) : error;
      }
    }
    if (unitOfWork === null) return own(options, context, request, next);
    unitOfWork.actor ??= actorOf(context);
    if (request.dryRun === true) return rehearse(context, request, unitOfWork, next);
    const before = unitOfWork.changes.length;
    const answer = context.survivable
      ? await unitOfWork.savepoint(() => next({ ...context, survivable: false }, request))
      : await next(context, request);
    unitOfWork.sign(before, { ...unitOfWork.actor, transactionId: context.transactionId });
    return answer;
  };
}

/** What has waited for long is read by whoever may read it then. */
async function renewed(context: Context): Promise<Context> {
  if (context.renew === undefined || context.unitOfWork !== null) return context;
  const security = await new RenewedCaller(context).begin();
  return security === context.security ? context : { ...context, security };
}

async function own(
  { database, observe, answerLimitBytes, router }: UnitOfWorkOptions,
  context: Context,
  request: Request,
  next: Handle,
): Promise<Response> {
  const dryRun = request.dryRun === true;
  const { spent } = context.budget;
  const caller = new RenewedCaller(context);
  let told: ResourceError | undefined;
  const { response, report } = await runUnitOfWork(
    database,
    {
      dryRun,
      answersInTime: context.client.isExternal,
      callers: context.callersAtWork ?? 0,
      asker: askerOf(context),
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
        security: await caller.begin(),
        unitOfWork,
        made,
        survivable: false,
        ...(dryRun ? { rehearsed: true } : {}),
      };
      const response = await next(inner, request).catch((error: unknown) => {
        if (dryRun) told = rehearsedFailure(error, unitOfWork, request);
        throw error;
      });
      if (context.client.isExternal && !dryRun) requireAnswerable(response, answerLimitBytes);
      if (!dryRun) await caller.end();
      if (context.fence !== undefined && unitOfWork.isOpen) await context.fence(await unitOfWork.db());
      return { response, report: dryRun ? dryRunReport(response, unitOfWork, request) : undefined };
    },
  ).catch(async (error: unknown) => {
    // What comes of a rehearsal that was given up is no news of it.
    const isGivenUp = error === databaseWait()?.failure;
    throw told !== undefined && !isGivenUp && (await router.maySeeScripts(context)) ? told : error;
  });
  if (!context.client.isExternal) return report ?? response;
  const asker = { ...context, security: caller.security };
  if (report === undefined) return router.answered(asker, request, response);
  if (await router.maySeeScripts(asker)) return report;
  // Scripts that are asked what may be shown change nothing by that.
  return runUnitOfWork(
    database,
    { dryRun: true, callers: context.callersAtWork ?? 0, asker: askerOf(context) },
    async (unitOfWork) => {
      const reader = { ...asker, unitOfWork, rehearsed: true };
      const answer = await router.answered(reader, request, response);
      return shownReport(report, answer, (asked, shown) => router.shown(reader, asked, shown));
    },
  );
}

/**
 * What an action answers can be asked for by nothing else, so that one that cannot be told is not carried out. A resource
 * can be read again, in parts.
 */
function requireAnswerable(response: Response, mostBytes: number): void {
  if (response.kind !== 'action' || fitsWritten(response.content, mostBytes)) return;
  throw answerTooLarge(
    mostBytes,
    'Nothing was changed. Ask for less at once; SVC_ANSWER_LIMIT is the number',
  );
}

/** A dry run inside a unit of work: undone at its savepoint. */
function rehearse(
  context: Context,
  request: Request,
  unitOfWork: UnitOfWork,
  next: Handle,
): Promise<Response> {
  const changes = unitOfWork.changes.length;
  const effects = unitOfWork.effects.length;
  const lines = unitOfWork.log.length;
  return unitOfWork.savepoint(
    async () => {
      const response = await next({ ...context, survivable: false, rehearsed: true }, request);
      return dryRunReport(response, unitOfWork, { before: { changes, effects, lines } });
    },
    { keep: false },
  );
}

function actorOf({ security, transactionId }: Context): Actor {
  return { userId: security.authenticationId, transactionId };
}
