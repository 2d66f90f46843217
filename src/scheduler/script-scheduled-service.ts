import { BadRequestError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import { parseScriptReference, type Scripts } from '#script/index.ts';
import type { ScheduledService } from './scheduled-service.ts';

/**
 * `invokeService: "script"`: runs `invokeContext.script`. The script sees `invokeContext.input` as `object`, null
 * when absent; other keys of the script reference are variables of their own.
 */
export function scriptScheduledService(scripts: Scripts): ScheduledService {
  return {
    invokeService: 'script',
    runsScripts: true,
    async execute(context, scheduled) {
      const { invokeContext } = scheduled;
      if (!isObject(invokeContext) || invokeContext['script'] === undefined) {
        throw new BadRequestError("The schedule's invokeContext has no 'script'", {
          id: 'SCHED_NO_SCRIPT',
          field: '/invokeContext/script',
        });
      }
      await scripts.evaluate(context, {
        reference: parseScriptReference(invokeContext['script'], '/invokeContext/script'),
        label: `schedule ${scheduled.jobId}`,
        bindings: { object: invokeContext['input'] ?? null },
        onLog: scheduled.log,
      });
    },
  };
}
