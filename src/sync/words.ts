import { errorIdOf, ResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Context, queryOfAll, type Router } from '#resource/index.ts';
import type { Mapping } from './mapping.ts';

/**
 * Whether a caller may see what is said about objects of both sides of a mapping: errors quote what stands in them, so they are for who may
 * list both. Of a mapping that is gone nobody knows the sides; those see it who may do everything.
 */
export async function seesWords(
  { router }: { readonly router: Pick<Router, 'mayAsk' | 'maySeeScripts'> },
  context: Context,
  mapping: Pick<Mapping, 'source' | 'target'> | undefined,
): Promise<boolean> {
  if (!context.client.isExternal) return true;
  if (mapping === undefined) return router.maySeeScripts(context);
  for (const collection of [mapping.source, mapping.target]) {
    if (!(await router.mayAsk(context, queryOfAll(collection)))) return false;
  }
  return true;
}

/** The server's own words, which quote nothing of an object. */
const OWN = /^(?:SYNC|ACCESS|ACCOUNT|ROLE|BUDGET|DB|SCRIPT_NOT)_/;

/** Does something for a caller, who is told in words what they see the words of, and else what kind of error it was. */
export async function inWords<T>(
  platform: { readonly router: Pick<Router, 'mayAsk' | 'maySeeScripts'> },
  context: Context,
  mapping: Pick<Mapping, 'source' | 'target'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ResourceError)) throw error;
    const id = errorIdOf(error);
    if (OWN.test(String(id)) || (await seesWords(platform, context, mapping))) throw error;
    throw new ResourceError(error.code, 'It has failed', {
      ...(typeof id === 'string' ? { id } : {}),
      hint: 'Its words are for those who may query both sides of the mapping',
      cause: error,
    });
  }
}

/** What kind of error it was. */
export function withoutWords(error: JsonObject | null): JsonObject | null {
  if (error === null) return null;
  const { code = null, reason = null, id } = error;
  return { code, reason, ...(id === undefined ? {} : { id }) };
}
