import { BadRequestError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import {
  type ActionRequest,
  type ActionResult,
  actionResult,
  type Context,
  notFound,
  type RouteHandler,
  singleton,
  unknownAction,
} from '#resource/index.ts';
import { parseCron } from './cron/index.ts';

/** The name of the action that says whether a cron expression is legal. */
export const VALIDATE_CRON = 'validateQuartzCronExpression';

/**
 * `/scheduler`: says whether a cron expression is legal, also below it where nothing else is: clients of the field
 * send the action to any path there. Mount it as a prefix.
 */
export function schedulerResource(): RouteHandler {
  const scheduler = singleton({
    description: { title: 'scheduler', instanceActions: [VALIDATE_CRON] },

    action: async (_context, request) => validatedCron(request),
  });
  return {
    ...scheduler,
    async handle(context, request, match) {
      if (match.remaining.length === 0) return scheduler.handle(context, request, match);
      if (request.method !== 'action' || !isValidation(request)) throw notFound(request);
      return validatedCron(request);
    },
  };
}

/** Clients of the field send the action to any path below `/scheduler`. */
export const validatingActions = {
  actionOnCollection: async (_context: Context, request: ActionRequest) => validatedCron(request),
  actionOnInstance: async (_context: Context, request: ActionRequest) => validatedCron(request),
};

function validatedCron(request: ActionRequest): ActionResult {
  if (!isValidation(request)) return unknownAction(request, [VALIDATE_CRON]);
  return actionResult(validateCron(request.content));
}

function isValidation({ action }: ActionRequest): boolean {
  return action.toLowerCase() === VALIDATE_CRON.toLowerCase();
}

/** @throws BadRequestError when the body holds no expression at all */
export function validateCron(content: JsonValue): JsonValue {
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
