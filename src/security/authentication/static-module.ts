import { hash, timingSafeEqual } from 'node:crypto';
import { type AuthenticationModule, identity } from './authentication-module.ts';
import type { StaticUserSettings } from './module-settings-schema.ts';

/** One name and password that stand in the configuration, such as anonymous: a role with next to nothing. */
export function staticModule(name: string, settings: StaticUserSettings): AuthenticationModule {
  const { username, password, defaultUserRoles, queryOnResource } = settings;
  const itself = identity({
    name: username,
    module: name,
    component: queryOnResource,
    id: username,
    roles: defaultUserRoles,
  });
  const expected = digest(password);
  return {
    name,
    authenticate: async ({ credentials }) =>
      credentials?.username === username && timingSafeEqual(digest(credentials.password), expected)
        ? itself
        : undefined,
    refresh: async (authenticationId) => (authenticationId === username ? itself : undefined),
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
