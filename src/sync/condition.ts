import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, type Pointer } from '#json/index.ts';
import { compileFilter, parseQueryFilter, pointersOf } from '#resource/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';

/** A query filter over the variables that a script would see there, or a script. */
export type Condition =
  | {
      readonly kind: 'filter';
      readonly matches: (variables: JsonObject) => boolean;
      /** What it looks at. */
      readonly pointers: readonly Pointer[];
    }
  | { readonly kind: 'script'; readonly reference: ScriptReference };

/** @throws BadRequestError with the field when it is neither */
export function compileCondition(written: JsonValue | undefined, field: string): Condition | undefined {
  if (written === undefined || written === null) return undefined;
  if (isObject(written)) return { kind: 'script', reference: parseScriptReference(written, field) };
  try {
    const filter = parseQueryFilter(String(written));
    return { kind: 'filter', matches: compileFilter(filter), pointers: pointersOf(filter) };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    throw new BadRequestError(error.message, { id: 'SYNC_BAD_CONDITION', field, cause: error });
  }
}
