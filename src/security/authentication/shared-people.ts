import type { AuthenticationConfig, Objection } from '#config/index.ts';
import type { AuthenticationModule, People } from './authentication-module.ts';
import { builtModules } from './built-modules.ts';

/**
 * Modules whose callers would be taken for those of another one: what somebody owns here (sessions, drafts, views) is
 * kept by component and id, and two issuers give the same id to two people.
 *
 * @param modules as they are built of the configuration
 */
export function sharedPeople(
  config: AuthenticationConfig,
  modules: readonly AuthenticationModule[],
): readonly Objection[] {
  const places = builtModules(config);
  const first = new Map<string, { readonly people: People; readonly index: number }>();
  return modules.flatMap(({ name, people }, at) => {
    const place = places[at];
    if (people === undefined || place === undefined) return [];
    const before = first.get(people.component);
    if (before === undefined) {
      first.set(people.component, { people, index: place.index });
      return [];
    }
    if (before.people.by === people.by) return [];
    return [
      {
        id: 'AUTH_SHARED_PEOPLE',
        field: `/serverAuthContext/authModules/${place.index}/properties`,
        message: `${name} takes its callers (${people.by}) for those of authModules[${before.index}] (${before.people.by}): both are '${people.component}'`,
        hint: 'Set "component" of OPENID_CONNECT, such as "openid-partner", or "queryOnResource"; whose component changes owns nothing of before',
      },
    ];
  });
}
