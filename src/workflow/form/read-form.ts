import type { JsonObject, JsonValue } from '#json/index.ts';
import { getMember } from '#json/index.ts';
import type { FormProperty } from '../engine/index.ts';
import {
  type Expression,
  ExpressionError,
  type ExpressionScope,
  evaluate,
  toJson,
} from '../expression/index.ts';
import { toFormText } from './form-value.ts';

/** A scope for expressions of forms that knows nothing but variables. */
export function variableScope(variables: JsonObject): ExpressionScope {
  const find = (name: string) => getMember(variables, name);
  return { find, findVariable: find };
}

/**
 * What a form shows: for each readable property `{ <id>: <text or null> }`, from its variable, else its
 * expression, else its default.
 */
export async function readForm(
  properties: readonly FormProperty[],
  scope: ExpressionScope,
): Promise<Record<string, string | null>[]> {
  const shown: Record<string, string | null>[] = [];
  for (const property of properties) {
    if (!property.isReadable) continue;
    shown.push({ [property.id]: toFormText(property, await currentValue(property, scope)) });
  }
  return shown;
}

async function currentValue(property: FormProperty, scope: ExpressionScope): Promise<JsonValue> {
  const variable = scope.findVariable(property.variable ?? property.id);
  if (variable !== undefined) return toJson(variable);
  return (await tolerant(property.expression, scope)) ?? (await tolerant(property.default, scope)) ?? null;
}

/** A form can be read though one of its expressions names what does not exist yet. */
async function tolerant(
  expression: Expression | undefined,
  scope: ExpressionScope,
): Promise<JsonValue | undefined> {
  if (expression === undefined) return undefined;
  try {
    return toJson(await evaluate(expression, scope));
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
