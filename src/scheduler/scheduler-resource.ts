import { parseCron } from '#cron/index.ts';
import { BadRequestError, nearest, toResourceError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import {
  type ActionRequest,
  actionResult,
  type Context,
  type RouteHandler,
  singleton,
  unknownAction,
} from '#resource/index.ts';

/** The name of the action that says whether a cron expression is legal. */
export const VALIDATE_CRON = 'validateQuartzCronExpression';

/** `/scheduler`: says whether a cron expression is legal. Mount it as a prefix, for what is asked below it. */
export function schedulerResource(): RouteHandler {
  return validatingCron(
    singleton({
      description: { title: 'scheduler', instanceActions: [VALIDATE_CRON] },
      action: async (_context, request) => refuseMisplaced(request),
    }),
  );
}

/** The actions on all schedules, which are those of `scheduler/job`. */
export const JOB_ACTIONS = [
  'create',
  'listCurrentlyExecutingJobs',
  'pauseJobs',
  'resumeJobs',
  'nextRunDates',
  VALIDATE_CRON,
] as const;

function refuseMisplaced(request: ActionRequest): never {
  const meant = nearest(request.action, JOB_ACTIONS);
  if (meant === undefined || meant === VALIDATE_CRON) return unknownAction(request, [VALIDATE_CRON]);
  throw new BadRequestError(`Action '${request.action}' is not supported by 'scheduler'`, {
    id: 'ACTION_UNKNOWN',
    hint: `Did you mean '${meant}' of scheduler/job?`,
  });
}

const refuse = async (_context: Context, request: ActionRequest) => unknownAction(request, [VALIDATE_CRON]);

/** Of a resource that has no action of its own: any other than the validation is refused by its name. */
export const noOtherActions = { actionOnCollection: refuse, actionOnInstance: refuse };

/** Clients of the field send the action to any path below `/scheduler`, whatever is there. */
export function validatingCron(handler: RouteHandler): RouteHandler {
  return {
    ...handler,
    async handle(context, request, match) {
      const isValidation =
        request.method === 'action' && request.action.toLowerCase() === VALIDATE_CRON.toLowerCase();
      return isValidation
        ? actionResult(validateCron(request.content))
        : handler.handle(context, request, match);
    },
  };
}

/** @throws BadRequestError when the body holds no expression at all */
function validateCron(content: JsonValue): JsonValue {
  const expression = isObject(content) ? content['cronExpression'] : undefined;
  if (typeof expression !== 'string') {
    throw new BadRequestError("The body has no 'cronExpression'", {
      id: 'SCHED_NO_EXPRESSION',
      field: '/cronExpression',
    });
  }
  try {
    const { warnings } = parseCron(expression);
    return warnings.length === 0 ? { valid: true } : { valid: true, warnings: [...warnings] };
  } catch (error) {
    return { valid: false, message: toResourceError(error).message };
  }
}
