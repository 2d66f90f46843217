import { BadRequestError, errorIdOf } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { Context, Transform } from '#resource/index.ts';
import { ScriptInactiveError } from './script-error.ts';
import { parseScriptReference } from './script-reference.ts';
import type { BindingsOf, ScriptUse } from './script-use.ts';
import type { Scripts } from './scripts.ts';

/** `transform`, an operation of a patch. */
export const TRANSFORM = {
  title: 'the operation transform of a patch; its value is that of the field',
  bindings: { content: { type: 'value', says: 'the value of the field' } },
} as const satisfies ScriptUse;

const UNREADABLE = 'SCRIPT_NOT_COMPILED';

/** Runs the script of a patch operation `transform`; it finds the field's value in `content`, and answers the new one. */
export function scriptTransform(scripts: Scripts, context: Context): Transform {
  return async (value, current) => {
    const script = isObject(value) ? value['script'] : undefined;
    const reference = parseScriptReference(script, '/value/script');
    const bindings = { content: current } satisfies BindingsOf<typeof TRANSFORM>;
    const call = { reference, label: 'transform', bindings };
    const outcome = await scripts.evaluate(context, call).catch((error: unknown) => {
      // The script came with the request, so it is the request that is wrong.
      if (error instanceof ScriptInactiveError && errorIdOf(error) === UNREADABLE) {
        throw new BadRequestError(error.message, { id: UNREADABLE, field: '/value/script' });
      }
      throw error;
    });
    return outcome.value;
  };
}
