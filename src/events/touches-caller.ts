import { hash } from 'node:crypto';
import type { SecurityContext } from '#resource/index.ts';
import type { ToldEvent } from './told-event.ts';

/**
 * Whether an event may end the right of a caller to listen: its session or its key is over, or the account, one of its roles
 * or the configuration is another one. Streams then look at once whether they may go on. The sessions of others do not count:
 * anybody begins and ends theirs as often as they like, and each stream would be looked at for each.
 */
export function touchesCaller({ topic, resource }: ToldEvent, { authorization }: SecurityContext): boolean {
  if (topic === 'config') return true;
  const { component, id, roles, sessionId } = authorization;
  return (
    resource === `${component}/${id}` ||
    (resource.startsWith('session/') && resource === sessionOf(sessionId)) ||
    roles.some((role) => resource === role || resource.endsWith(`/${role}`))
  );
}

/** The resource of a session, with the handle by which sessions are told of. */
function sessionOf(sessionId: unknown): string | undefined {
  return typeof sessionId === 'string' ? `session/${hash('sha256', sessionId)}` : undefined;
}
