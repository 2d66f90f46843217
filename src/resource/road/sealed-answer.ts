import { hasEnvelope, withSeals } from '#crypto/index.ts';
import type { Request } from '../request.ts';
import type { Resource, Response } from '../response.ts';
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

/** With a seal in place of each encrypted and hashed value. */
export function withSealedContent(resource: Resource): Resource {
  return hasEnvelope(resource.content) ? { ...resource, content: withSeals(resource.content) } : resource;
}

/** The same of all that is answered. */
export function withSealedAnswer(response: Response): Response {
  if (response.kind === 'resource') return withSealedContent(response);
  if (response.kind === 'query') return { ...response, result: response.result.map(withSealedContent) };
  return hasEnvelope(response.content) ? { ...response, content: withSeals(response.content) } : response;
}
