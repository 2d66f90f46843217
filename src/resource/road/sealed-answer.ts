import { getSealedAt, hasEnvelope, isEnvelope, withSeals } from '#crypto/index.ts';
import type { Pointer } from '#json/index.ts';
import { mapInTurns } from '../budget.ts';
import type { Request } from '../request.ts';
import type { Resource, Response } from '../response.ts';
import { selectFields } from '../select-fields.ts';
import type { Filter } from './filter.ts';
import type { RouteHandler } from './route.ts';

/** Callers from outside see a seal in place of each encrypted and hashed value, but where they may see all. */
export function sealAnswers(router: { envelopesOf(request: Request): RouteHandler['envelopes'] }): Filter {
  return async (context, request, next) => {
    const answer = await next(context, request);
    const isShown = !context.client.isExternal || router.envelopesOf(request) === 'shows';
    return isShown ? answer : withSealedAnswer(answer);
  };
}

/**
 * `selectFields` for who is shown seals: a part of an encrypted value would not be known for one. What is selected is sealed with the
 * answer, and the rest is not looked at.
 */
export function selectFromSealed(
  resource: Resource,
  fields: readonly Pointer[],
  isNested?: boolean,
): Resource {
  const { content } = resource;
  const sealed = isEnvelope(content) ? { ...resource, content: withSeals(content) } : resource;
  return selectFields(sealed, fields, isNested, getSealedAt);
}

/** The resource with a seal in place of each encrypted and hashed value. */
function withSealedContent(resource: Resource): Resource {
  return hasEnvelope(resource.content) ? { ...resource, content: withSeals(resource.content) } : resource;
}

/** The same of all that is answered. */
async function withSealedAnswer(response: Response): Promise<Response> {
  if (response.kind === 'resource') return withSealedContent(response);
  if (response.kind === 'query') {
    return { ...response, result: await mapInTurns(response.result, withSealedContent) };
  }
  return hasEnvelope(response.content) ? { ...response, content: withSeals(response.content) } : response;
}
