import type { SecurityContext } from '#resource/index.ts';
import type { ToldEvent } from './told-event.ts';

/**
 * Whether what has happened may end the right of a caller to listen: a session is over, or the account, one of its roles or
 * the configuration is another one. Streams then look at once whether they may go on.
 */
export function touchesCaller({ topic, resource }: ToldEvent, { authorization }: SecurityContext): boolean {
  if (topic === 'session' || topic === 'config') return true;
  const { component, id, roles } = authorization;
  return (
    resource === `${component}/${id}` ||
    roles.some((role) => resource === role || resource.endsWith(`/${role}`))
  );
}
