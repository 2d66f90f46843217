import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import {
  type BindingsOf,
  parseScriptReference,
  type ScriptReference,
  type Scripts,
  type ScriptUse,
} from '#script/index.ts';
import type { ScheduledService } from './scheduled-service.ts';

/** The script of a schedule. */
export const SCHEDULE_USE = {
  title: 'a schedule',
  bindings: { object: { type: 'value', says: '`invokeContext.input` of the schedule, or null' } },
} as const satisfies ScriptUse;

/**
 * `invokeService: "script"`: runs `invokeContext.script`. The script sees `invokeContext.input` as `object`, null
 * when absent; other keys of the script reference are variables of their own.
 */
export function scriptScheduledService(scripts: Scripts): ScheduledService {
  return {
    invokeService: 'script',
    runsScripts: true,
    check(invokeContext) {
      scriptOf(invokeContext);
    },
    async execute(context, scheduled) {
      const { invokeContext } = scheduled;
      await scripts.evaluate(context, {
        reference: scriptOf(invokeContext),
        label: `schedule ${scheduled.jobId}`,
        bindings: {
          object: (isObject(invokeContext) ? invokeContext['input'] : null) ?? null,
        } satisfies BindingsOf<typeof SCHEDULE_USE>,
        onLog: scheduled.log,
      });
    },
  };
}

/** @throws BadRequestError for what no run could run; whether it compiles shows when it does */
function scriptOf(invokeContext: JsonValue): ScriptReference {
  if (!isObject(invokeContext) || invokeContext['script'] === undefined) {
    throw new BadRequestError("The schedule's invokeContext has no 'script'", {
      id: 'SCHED_NO_SCRIPT',
      field: '/invokeContext/script',
      hint: 'Such as { "script": { "type": "text/javascript", "source": "…" }, "input": … }',
    });
  }
  return parseScriptReference(invokeContext['script'], '/invokeContext/script');
}
