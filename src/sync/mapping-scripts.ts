import { errorIdOf, InternalServerError, ResourceError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { BindingsOf, HostOperations, ScriptReference } from '#script/index.ts';
import type { Condition } from './condition.ts';
import type { Stage } from './stage.ts';
import type { USE } from './sync-uses.ts';
import { kindOfValue } from './value-key.ts';

type Use = keyof typeof USE;

/** A script of the mapping, as `<mapping> <what>` in messages. */
export interface MappingScript<U extends Use> {
  readonly use: U;
  readonly reference: ScriptReference;
  readonly bindings: BindingsOf<(typeof USE)[U]>;
  /** What of the mapping it is, where the use does not say it: `properties/3 transform`. */
  readonly what?: string;
  /** What of its bindings asks the server. */
  readonly operations?: HostOperations;
}

/** @throws ResourceError what it threw; 500 for one that is not there */
export async function runScript<U extends Use>(
  stage: Stage,
  { use, reference, bindings, what = use, operations }: MappingScript<U>,
  returned: readonly string[] = [],
): Promise<{ readonly value: JsonValue; readonly bindings: JsonObject }> {
  const { platform, context, mapping } = stage;
  const label = `${mapping.name} ${what}`;
  try {
    return await platform.scripts.evaluate(context, {
      reference,
      label,
      bindings: { ...bindings },
      returnBindings: returned,
      ...(operations === undefined ? {} : { operations }),
    });
  } catch (error) {
    if (!(error instanceof ResourceError) || errorIdOf(error) !== 'SCRIPT_FILE_NOT_FOUND') throw error;
    throw new InternalServerError(`'${label}' cannot run: ${error.message}`, {
      id: 'SYNC_SCRIPT_NOT_FOUND',
      hint: 'svc config-check names all scripts that are missing',
      cause: error,
    });
  }
}

/** One whose answer must be true or false. @throws InternalServerError `SYNC_NOT_BOOLEAN` */
export async function isTrue<U extends Use>(stage: Stage, script: MappingScript<U>): Promise<boolean> {
  const { value } = await runScript(stage, script);
  if (typeof value === 'boolean') return value;
  throw new InternalServerError(
    `'${stage.mapping.name} ${script.what ?? script.use}' answers ${kindOfValue(value)}, and neither true nor false`,
    { id: 'SYNC_NOT_BOOLEAN' },
  );
}

/** Whether a condition lets it be; without one, all is let be. Of a script, only `true` does. */
export async function holds<U extends Use>(
  stage: Stage,
  condition: Condition | undefined,
  use: U,
  bindings: BindingsOf<(typeof USE)[U]>,
  what?: string,
): Promise<boolean> {
  if (condition === undefined) return true;
  if (condition.kind === 'filter') return condition.matches({ ...bindings });
  const { reference } = condition;
  const script = { use, reference, bindings, ...(what === undefined ? {} : { what }) };
  return (await runScript(stage, script)).value === true;
}
