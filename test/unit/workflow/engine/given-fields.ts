import type { JsonObject } from '#json/index.ts';
import { outwardField } from '../../../../src/workflow/engine/index.ts';
import { evaluate, parseExpression } from '../../../../src/workflow/expression/index.ts';

/** What a task of a type is given for its fields as its process file has them, with the variables that there are. */
export async function givenFields(
  type: string,
  fields: JsonObject,
  variables: JsonObject = {},
): Promise<JsonObject> {
  const scope = { find: (name: string) => variables[name], findVariable: (name: string) => variables[name] };
  const given = await Promise.all(
    Object.entries(fields).map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, await outwardField(type, name, template(value), async (each) => evaluate(each, scope))]
        : [name, value],
    ),
  );
  return Object.fromEntries(given);
}

/** A text without expressions may be of any length. */
function template(text: string) {
  return text.includes('${') ? parseExpression(text) : { text, parts: [text] };
}
