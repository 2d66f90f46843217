import type { AuthenticationConfig, Objection } from '#config/index.ts';
import { augmentScript } from './augmentation.ts';
import type { AuthenticationModule } from './authentication-module.ts';
import { builtModules } from './built-modules.ts';

/**
 * Modules that let in whom another one of their name has let in before, by the same: its roles are not theirs. Where the
 * first one has a script, that may have refused them.
 *
 * @param modules as they are built of the configuration
 */
export function doubledModules(
  config: AuthenticationConfig,
  modules: readonly AuthenticationModule[],
): readonly Objection[] {
  const places = builtModules(config);
  const first = new Map<string, number>();
  return modules.flatMap(({ name, way }, at) => {
    const place = places[at];
    if (way === undefined || place === undefined) return [];
    const { module, index } = place;
    const before = first.get(`${name} ${way}`);
    const mayRefuse = augmentScript(module.properties) !== undefined;
    if (before === undefined) {
      if (!mayRefuse) first.set(`${name} ${way}`, index);
      return [];
    }
    return [
      {
        id: 'AUTH_MODULE_DOUBT',
        field: `/serverAuthContext/authModules/${index}`,
        message: `${name} lets nobody in: authModules[${before}] has let in the same people before`,
        hint: 'Give all roles in one of them; what tells two apart is the issuer and its audience, or the collection and its properties',
        isWarning: true,
      },
    ];
  });
}

/** Providers that share a name: whoever asks for it would be sent to the first alone. */
export function doubledProviders(
  config: AuthenticationConfig,
  modules: readonly AuthenticationModule[],
): readonly Objection[] {
  const places = builtModules(config);
  return modules.flatMap(({ codeLogin }, at) => {
    const isFirst = modules.findIndex((other) => other.codeLogin?.provider === codeLogin?.provider) === at;
    if (codeLogin === undefined || isFirst) return [];
    return [
      {
        id: 'AUTH_DOUBLED_PROVIDER',
        field: `/serverAuthContext/authModules/${places[at]?.index ?? at}/properties/login/provider`,
        message: `Another module has the provider '${codeLogin.provider}', too`,
        hint: 'Give each a name of its own',
      },
    ];
  });
}
