import { parseCron } from '#cron/index.ts';
import { BadRequestError, nearest, toResourceError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import {
  type ActionRequest,
  type ActionResult,
  ActionTable,
  actionResult,
  bodyOf,
  listMember,
  type RouteHandler,
  singleton,
  textMember,
  type WriteContext,
} from '#resource/index.ts';

/** The name of the action that says whether a cron expression is legal. */
const VALIDATE_CRON = 'validateQuartzCronExpression';

/**
 * `/scheduler`: says whether a cron expression is legal. Mount it as a prefix, for what is asked below it.
 *
 * @param ofJobs names of the actions on all schedules, which some look for here
 */
export function schedulerResource(ofJobs: readonly string[]): RouteHandler {
  return validatingCron(
    singleton({
      description: { title: 'scheduler' },
      actions: new ActionTable(
        {
          [VALIDATE_CRON]: {
            does: 'Says whether a `cronExpression` is legal',
            takes: bodyOf({ cronExpression: textMember('Such as 0 0 2 * * ?') }, 'cronExpression'),
            answers: bodyOf(
              {
                valid: { type: 'boolean' },
                message: textMember('What is wrong with it'),
                warnings: listMember({ type: 'string' }),
              },
              'valid',
            ),
            run: async (_context, { content }) => validateCron(content),
          },
        },
        { anyCase: true, refuse: (request) => refuseMisplaced(request, ofJobs) },
      ),
    }),
  );
}

function refuseMisplaced(request: ActionRequest, ofJobs: readonly string[]): void {
  const meant = nearest(request.action, ofJobs);
  if (meant === undefined || meant === VALIDATE_CRON) return;
  throw new BadRequestError(`Action '${request.action}' is not supported by 'scheduler'`, {
    id: 'ACTION_UNKNOWN',
    hint: `Did you mean '${meant}' of scheduler/job?`,
  });
}

/** The validation in the table of another resource, which knows it by name, too. */
export const ALSO_VALIDATES = {
  [VALIDATE_CRON]: {
    does: 'The same as at /scheduler',
    isDescribed: false,
    run: async (_context: WriteContext, { content }: ActionRequest) => validateCron(content),
  },
} as const;

/** The actions of a resource that has none of its own: any other than the validation is refused by its name. */
export const NO_OTHER_ACTIONS = {
  collectionActions: new ActionTable(ALSO_VALIDATES, { anyCase: true }),
  instanceActions: new ActionTable<[id: string]>(ALSO_VALIDATES, { anyCase: true }),
};

/** Clients of the field send the action to any path below `/scheduler`, whatever is there. */
export function validatingCron(handler: RouteHandler): RouteHandler {
  return {
    ...handler,
    async handle(context, request, match) {
      const isValidation =
        request.method === 'action' && request.action.toLowerCase() === VALIDATE_CRON.toLowerCase();
      return isValidation ? validateCron(request.content) : handler.handle(context, request, match);
    },
  };
}

/** @throws BadRequestError when the body holds no expression at all */
function validateCron(content: JsonValue): ActionResult {
  const expression = isObject(content) ? content['cronExpression'] : undefined;
  if (typeof expression !== 'string') {
    throw new BadRequestError("The body has no 'cronExpression'", {
      id: 'SCHED_NO_EXPRESSION',
      field: '/cronExpression',
    });
  }
  try {
    const { warnings } = parseCron(expression);
    return actionResult(warnings.length === 0 ? { valid: true } : { valid: true, warnings: [...warnings] });
  } catch (error) {
    return actionResult({ valid: false, message: toResourceError(error).message });
  }
}
