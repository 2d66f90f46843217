import type { AuthenticationConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { ActivationError, didYouMean, type Finding, wordsOf } from '#errors/index.ts';
import { formatPointer, type JsonObject } from '#json/index.ts';
import type { PropertyMapping } from './account.ts';
import { apiKeyModule } from './api-key-module.ts';
import { type Augment, augmentScript, shownProperties } from './augmentation.ts';
import { augmentedModule, type Denial } from './augmented-module.ts';
import { type AuthenticationModule, wayOf } from './authentication-module.ts';
import { bearerModule } from './bearer-module.ts';
import { certificateModule } from './certificate-module.ts';
import { builtModules, openProperties, withOwnNames } from './field-modules.ts';
import { accountFinder, type UserDirectory } from './find-account.ts';
import {
  apiKeySettings,
  bearerSettings,
  certificateSettings,
  passwordModuleSettings,
  type SessionSettings,
  sessionSettings,
  staticUserSettings,
  trustedAttributeSettings,
} from './module-settings-schema.ts';
import { nameScriptRoles } from './name-script-roles.ts';
import type { PasswordComparisons } from './password-comparisons.ts';
import { PasswordModule } from './password-module.ts';
import { staticModule } from './static-module.ts';
import { trustedAttributeModule } from './trusted-attribute-module.ts';

export interface ModuleParts {
  readonly database: Database;
  readonly crypto: Crypto;
  readonly users: UserDirectory;
  readonly comparisons: PasswordComparisons;
  /** Where issuers of tokens may be. */
  readonly guard: AddressGuard;
  /** Runs the scripts of modules. */
  readonly augment: Augment;
  readonly managedTypes: () => readonly string[];
  readonly onDenied: (denial: Denial) => void;
}

type ModuleConfig = AuthenticationConfig['serverAuthContext']['authModules'][number];

const SWITCH_OFF = 'one that is not to be asked takes "enabled": false';

/**
 * The modules that are enabled, in order.
 *
 * @throws ActivationError for unknown modules, and properties that they do not understand, all at once
 */
export function buildModules(
  config: AuthenticationConfig,
  parts: ModuleParts,
): readonly AuthenticationModule[] {
  const findings: Finding[] = [];
  const modules = builtModules(config).flatMap(({ module, index }) => {
    try {
      const field = `/serverAuthContext/authModules/${index}`;
      const named = `${module.name} in serverAuthContext.authModules[${index}]`;
      return [buildModule(module, { named, field: `${field}/properties` }, parts)];
    } catch (error) {
      if (!(error instanceof ActivationError)) throw error;
      findings.push(...error.findings);
      return [];
    }
  });
  if (findings.length > 0) throw new ActivationError(findings);
  return modules;
}

export function readSessionSettings(config: AuthenticationConfig): SessionSettings | undefined {
  const module = config.serverAuthContext.sessionModule;
  if (module?.enabled === false) return undefined;
  const named = 'serverAuthContext.sessionModule';
  return parse(sessionSettings, module?.properties ?? {}, {
    named,
    field: '/serverAuthContext/sessionModule/properties',
  });
}

/** Of a module's properties, for messages and as a JSON pointer. */
interface Place {
  readonly named: string;
  readonly field: string;
}

function buildModule(
  { name, properties }: ModuleConfig,
  place: Place,
  parts: ModuleParts,
): AuthenticationModule {
  const build = BUILDERS[name];
  if (build === undefined) {
    const known = Object.keys(BUILDERS);
    const hint = didYouMean(name, known) ?? `There are ${known.join(', ')}; ${SWITCH_OFF}`;
    const field = place.field.replace(/properties$/, 'name');
    throw failed({ ...place, field }, `there is no authentication module '${name}'`, hint);
  }
  const settings = withOwnNames(properties as JsonObject);
  const module = build(name, settings, place, parts);
  const script = augmentScript(settings);
  if (script === undefined) return module;
  const { augment, database, managedTypes, onDenied } = parts;
  return augmentedModule({
    module,
    script,
    properties: shownProperties(settings),
    augment,
    nameRoles: (roles) => nameScriptRoles(database.db, managedTypes(), roles),
    onDenied,
  });
}

type Builder = (
  name: string,
  properties: JsonObject,
  place: Place,
  parts: ModuleParts,
) => AuthenticationModule;

const BUILDERS: Readonly<Record<string, Builder>> = {
  STATIC_USER(name, properties, place, { crypto, comparisons }) {
    const settings = parse(staticUserSettings, properties, place);
    if (openProperties(properties).length > 0) return { name, authenticate: async () => undefined };
    return staticModule(name, settings, crypto, comparisons);
  },
  MANAGED_USER: passwordModule('authzRoles'),
  INTERNAL_USER: passwordModule('roles'),
  OPENID_CONNECT(name, properties, place, { database, users, guard }) {
    const settings = parse(bearerSettings, properties, place);
    const { queryOnResource, propertyMapping } = settings;
    const find =
      queryOnResource === undefined
        ? undefined
        : accountFinder(database, users, {
            queryOnResource,
            mapping: { ...propertyMapping, userRoles: propertyMapping.userRoles ?? 'authzRoles' },
            defaultRoles: [],
            nameIs: 'stated',
          }).find;
    return bearerModule({ name, settings, find, guard });
  },
  CLIENT_CERT: (name, properties, place) => {
    const settings = parse(certificateSettings, properties, place);
    try {
      return certificateModule(name, settings);
    } catch (error) {
      throw failed(place, wordsOf(error), 'See trustedProxies and allowedAuthenticationIdPatterns');
    }
  },
  TRUSTED_ATTRIBUTE(name, properties, place, { database, users }) {
    const settings = parse(trustedAttributeSettings, properties, place);
    const { queryOnResource, propertyMapping, defaultUserRoles } = settings;
    const mapping = { ...propertyMapping, userRoles: propertyMapping.userRoles ?? 'authzRoles' };
    const accounts = accountFinder(database, users, {
      queryOnResource,
      mapping,
      defaultRoles: defaultUserRoles,
      nameIs: 'stated',
    });
    try {
      return trustedAttributeModule(name, settings, accounts);
    } catch (error) {
      throw failed(place, wordsOf(error), 'See trustedProxies');
    }
  },
  API_KEY: (name, properties, place) => apiKeyModule(name, parse(apiKeySettings, properties, place)),
};

function passwordModule(rolesProperty: string): Builder {
  return (name, properties, place, { database, users, comparisons }) => {
    const { queryOnResource, defaultUserRoles, propertyMapping } = parse(
      passwordModuleSettings,
      properties,
      place,
    );
    const mapping: PropertyMapping = {
      ...propertyMapping,
      userRoles: propertyMapping.userRoles ?? rolesProperty,
    };
    return new PasswordModule({
      name,
      way: wayOf([queryOnResource, mapping.authenticationId, mapping.userCredential]),
      accounts: accountFinder(database, users, {
        queryOnResource,
        mapping,
        defaultRoles: defaultUserRoles,
        nameIs: 'typed',
      }),
      comparisons,
    });
  };
}

interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly { path: PropertyKey[]; message: string }[] };
      };
}

function parse<T>(schema: Schema<T>, properties: JsonObject, place: Place): T {
  const parsed = schema.safeParse(properties);
  if (parsed.success) return parsed.data;
  const { named, field } = place;
  throw new ActivationError(
    parsed.error.issues.map(({ path, message }) => {
      const [key, ...inner] = path;
      const isMissing = inner.length === 0 && properties[String(key)] === undefined;
      const property = `"${path.map(String).join('.')}"`;
      return isMissing
        ? finding(field, `${named} needs the property ${property}`, SWITCH_OFF)
        : finding(
            field + formatPointer(path.map(String)),
            `${named} has a wrong ${property}: ${message}`,
            undefined,
          );
    }),
  );
}

function failed({ named, field }: Place, message: string, hint: string): ActivationError {
  return new ActivationError([finding(field, `${named}: ${message}`, hint)]);
}

function finding(field: string, message: string, hint: string | undefined): Finding {
  return {
    id: 'AUTH_BAD_MODULE',
    where: 'conf/authentication.json:1:1',
    field,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
