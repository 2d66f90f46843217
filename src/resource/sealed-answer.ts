import { hasEnvelope, withSeals } from '#crypto/index.ts';
import type { Resource, Response } from './response.ts';

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
