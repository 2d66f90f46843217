import { ForbiddenError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Context, parsePath, type RequestSink, type Response } from '#resource/index.ts';
import type { AccessRules } from './access-rules.ts';
import { Lookups } from './lookups.ts';

type Handle = RequestSink['handle'];

/** Takes from an answer what refers to objects that the caller may not read. */
export interface HideReferences {
  (context: Context, response: Response, handle: Handle): Promise<Response>;
  /** Whether a script may have to say what the caller may read. */
  readonly runsScripts: () => boolean;
}

/**
 * The filter that configurations of the field call `relationshipFilter`: a reference stays where the rules let the caller
 * read its object, and a relationship of which nothing stays goes, too. What is inside of a reference is looked at as well.
 */
export function hideReferences(rules: AccessRules): HideReferences {
  const hide = async (context: Context, response: Response, handle: Handle): Promise<Response> => {
    const lookups = new Lookups(handle);
    const known = new Map<string, Promise<boolean>>();
    const mayRead = (reference: string): Promise<boolean> => {
      const before = known.get(reference);
      if (before !== undefined) return before;
      const answer = mayReadAt(rules, context, lookups, reference);
      known.set(reference, answer);
      return answer;
    };
    const cleaned = async (content: JsonValue) => (isObject(content) ? without(content, mayRead) : content);
    if (response.kind !== 'query') return { ...response, content: await cleaned(response.content) };
    const result = await Promise.all(
      response.result.map(async (row) => ({ ...row, content: await cleaned(row.content) })),
    );
    return { ...response, result };
  };
  return Object.assign(hide, { runsScripts: () => rules.mayNeedScript });
}

async function mayReadAt(rules: AccessRules, context: Context, lookups: Lookups, reference: string) {
  const request = { method: 'read', path: parsePath(reference), fields: [], parameters: {} } as const;
  try {
    return await rules.grants(context, request, lookups);
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

async function without(
  object: JsonObject,
  mayRead: (reference: string) => Promise<boolean>,
): Promise<JsonObject> {
  const kept: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (!Array.isArray(value)) {
      const shown = isReference(value) ? await shownReference(value, mayRead) : value;
      if (shown !== undefined) kept.push([name, shown]);
      continue;
    }
    const shown = await Promise.all(
      value.map((element) => (isReference(element) ? shownReference(element, mayRead) : element)),
    );
    const left = shown.filter((element) => element !== undefined);
    if (left.length > 0 || value.length === 0) kept.push([name, left]);
  }
  return Object.fromEntries(kept);
}

async function shownReference(
  reference: JsonObject & { readonly _ref: string },
  mayRead: (reference: string) => Promise<boolean>,
): Promise<JsonObject | undefined> {
  return (await mayRead(reference._ref)) ? without(reference, mayRead) : undefined;
}

function isReference(value: JsonValue): value is JsonObject & { readonly _ref: string } {
  return isObject(value) && typeof value['_ref'] === 'string' && isObject(value['_refProperties'] ?? null);
}
