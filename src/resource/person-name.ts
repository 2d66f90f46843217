import type { SecurityContext } from './context.ts';

/** Collections of people who log in; everybody else who does is a key, a token or a schedule. */
const PEOPLE = /^(?:managed\/|(?:repo\/)?internal\/user$)/;

/**
 * The name by which others know whoever acts: that of the user, or, where it is no user's, the reference of what acts. A key
 * or token may be called as somebody else is, and is not them.
 */
export function personName({ authenticationId, authorization }: SecurityContext): string {
  const { component, id } = authorization;
  return PEOPLE.test(component) ? authenticationId : `${component}/${id}`;
}
