import { ForbiddenError } from '#errors/index.ts';
import type { Context } from '#resource/index.ts';
import { SESSION_MODULE } from './sessions.ts';

/**
 * Whoever has got hold of a cookie must not throw out its owner, nor make itself a way in that outlives it.
 *
 * @throws ForbiddenError `ACCESS_NEEDS_REAUTHENTICATION` for a session without the password
 */
export function refuseWithoutPassword({ client, security }: Context, hint: string): void {
  const { moduleId, reauthenticated } = security.authorization;
  if (!client.isExternal || moduleId !== SESSION_MODULE || reauthenticated === true) return;
  throw new ForbiddenError('Access denied', { id: 'ACCESS_NEEDS_REAUTHENTICATION', hint });
}
