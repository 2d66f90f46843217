import { BadRequestError, toResourceError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import { actionResult, type RouteHandler, singleton, unknownAction } from '#resource/index.ts';
import { parseCron } from './cron/index.ts';

/** `/scheduler`: says whether a cron expression is legal. */
export function schedulerResource(): RouteHandler {
  return singleton({
    async action(_context, request) {
      if (request.action.toLowerCase() !== 'validatequartzcronexpression') {
        return unknownAction(request, ['validateQuartzCronExpression']);
      }
      const expression = isObject(request.content) ? request.content['cronExpression'] : undefined;
      if (typeof expression !== 'string') {
        throw new BadRequestError("The body has no 'cronExpression'", {
          id: 'SCHED_NO_EXPRESSION',
          field: '/cronExpression',
        });
      }
      try {
        const { warnings } = parseCron(expression);
        return actionResult(
          warnings.length === 0 ? { valid: true } : { valid: true, warnings: [...warnings] },
        );
      } catch (error) {
        return actionResult({ valid: false, message: toResourceError(error).message });
      }
    },
  });
}
