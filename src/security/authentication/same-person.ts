import type { SecurityContext } from '#resource/index.ts';
import {
  type Asked,
  type AuthenticationModule,
  type Identity,
  isSame,
  type Known,
  loginNameOf,
} from './authentication-module.ts';

/** Somebody as they are now, and the module that lets them in. */
export interface PersonNow extends Identity {
  readonly module: AuthenticationModule;
}

/**
 * The same person by the same module: there may be several of the name, and each gives roles of its own. An account
 * that has the name of another one by now is not the same person.
 */
export async function* peopleNow(
  modules: readonly AuthenticationModule[],
  name: string,
  known: Known,
  asked: Asked,
): AsyncGenerator<PersonNow> {
  for (const module of modules) {
    if (module.name !== name || module.refresh === undefined) continue;
    const now = await module.refresh(known, asked);
    if (now !== undefined && isSame(now.security.authorization, known)) yield { ...now, module };
  }
}

/** @returns undefined when they may come in no more, or not by the password or key that they came in with */
export async function samePersonNow(
  modules: readonly AuthenticationModule[],
  security: SecurityContext,
  asked: Asked,
): Promise<PersonNow | undefined> {
  const { component, id, ...facts } = security.authorization;
  const name = String(facts['loginModuleId'] ?? facts['moduleId']);
  const claimedRoles = Array.isArray(facts['claimedRoles']) ? facts['claimedRoles'].map(String) : [];
  const known = { authenticationId: loginNameOf(security), component, id, claimedRoles };
  for await (const now of peopleNow(modules, name, known, asked)) {
    if (security.stamp === undefined || security.stamp === now.stamp) return now;
  }
  return undefined;
}
