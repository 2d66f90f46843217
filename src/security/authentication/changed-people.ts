import type { AuthenticationConfig, Objection } from '#config/index.ts';
import type { AuthenticationModule } from './authentication-module.ts';
import { builtModules } from './built-modules.ts';

/**
 * Modules whose callers would be taken for those who came in before under the same component: what these own here is
 * kept by component and id, and another issuer gives the same id to somebody else.
 *
 * @param modules as they are built of the configuration
 * @param before those that are in force
 */
export function changedPeople(
  config: AuthenticationConfig,
  modules: readonly AuthenticationModule[],
  before: readonly AuthenticationModule[],
): readonly Objection[] {
  const places = builtModules(config);
  const known = new Map(before.flatMap(({ people }) => (people ? [[people.component, people.by]] : [])));
  return modules.flatMap(({ name, people }, at) => {
    const place = places[at];
    if (people === undefined || place === undefined) return [];
    const { component, by } = people;
    const was = known.get(component);
    if (was === undefined || was === by) return [];
    return [
      {
        id: 'AUTH_ISSUER_CHANGED',
        field: `/serverAuthContext/authModules/${place.index}/properties`,
        message: `${name} takes its callers (${by}) for those who came in until now (${was}): both are '${component}', and they own what these have owned`,
        hint: 'Give it another "component", such as "openid-partner", unless both give the same ids to the same people',
        isWarning: true,
      },
    ];
  });
}
