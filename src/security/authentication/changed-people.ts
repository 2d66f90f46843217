import type { AuthenticationConfig, Objection } from '#config/index.ts';
import type { AuthenticationModule } from './authentication-module.ts';
import { builtModules } from './built-modules.ts';

export interface PeopleBefore {
  /** The modules that are in force; undefined where nothing is yet. */
  readonly modules: readonly AuthenticationModule[] | undefined;
  /** The people who came in last under each component, whatever was in force since. */
  readonly known: ReadonlyMap<string, string>;
}

/**
 * Modules whose callers would be taken for those who came in before under the same component: what these own here is
 * kept by component and id, and another issuer gives the same id to somebody else.
 *
 * @param modules as they are built of the configuration
 */
export function changedPeople(
  config: AuthenticationConfig,
  modules: readonly AuthenticationModule[],
  before: PeopleBefore,
): readonly Objection[] {
  const places = builtModules(config);
  const inForce = new Map(
    before.modules?.flatMap(({ people }) => (people ? [[people.component, people.by]] : [])),
  );
  return modules.flatMap(({ name, people }, at) => {
    const place = places[at];
    if (people === undefined || place === undefined) return [];
    const { component, by } = people;
    const was = before.known.get(component) ?? inForce.get(component);
    if (was === undefined || was === by || inForce.get(component) === by) return [];
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
