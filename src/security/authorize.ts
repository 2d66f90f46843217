import { ForbiddenError } from '#errors/index.ts';
import type { Filter } from '#resource/index.ts';

/** Lets only administrators in from outside. Requests of the server itself pass. */
export const authorize: Filter = (context, request, next) => {
  if (context.client.isExternal && !context.security.authorization.roles.includes('svc-admin')) {
    throw new ForbiddenError('Access denied', {
      id: 'ACCESS_DENIED',
      hint: "The role 'svc-admin' is needed",
    });
  }
  return next(context, request);
};
