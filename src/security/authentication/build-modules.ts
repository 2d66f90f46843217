import type { AuthenticationConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { ActivationError, didYouMean, type Finding } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { PropertyMapping } from './account.ts';
import { apiKeyModule } from './api-key-module.ts';
import type { AuthenticationModule } from './authentication-module.ts';
import { bearerModule } from './bearer-module.ts';
import { certificateModule } from './certificate-module.ts';
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
  const modules = config.serverAuthContext.authModules.flatMap((module, index) => {
    if (!module.enabled) return [];
    try {
      return [buildModule(module, `${module.name} in serverAuthContext.authModules[${index}]`, parts)];
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
  return parse(sessionSettings, module?.properties ?? {}, 'serverAuthContext.sessionModule');
}

function buildModule(
  { name, properties }: ModuleConfig,
  where: string,
  parts: ModuleParts,
): AuthenticationModule {
  const build = BUILDERS[name];
  if (build === undefined) {
    const known = Object.keys(BUILDERS);
    const hint = didYouMean(name, known) ?? `There are ${known.join(', ')}; ${SWITCH_OFF}`;
    throw failed(`${where}: there is no authentication module '${name}'`, hint);
  }
  return build(name, properties as JsonObject, where, parts);
}

type Builder = (
  name: string,
  properties: JsonObject,
  where: string,
  parts: ModuleParts,
) => AuthenticationModule;

const BUILDERS: Readonly<Record<string, Builder>> = {
  STATIC_USER: (name, properties, where, { crypto }) =>
    staticModule(name, parse(staticUserSettings, properties, where), (envelope) => crypto.decrypt(envelope)),
  MANAGED_USER: passwordModule('authzRoles'),
  INTERNAL_USER: passwordModule('roles'),
  OPENID_CONNECT(name, properties, where, { database, users, guard }) {
    const settings = parse(bearerSettings, properties, where);
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
  CLIENT_CERT: (name, properties, where) => {
    const settings = parse(certificateSettings, properties, where);
    try {
      return certificateModule(name, settings);
    } catch (error) {
      throw failed(
        `${where}: ${(error as Error).message}`,
        'See trustedProxies and allowedAuthenticationIdPatterns',
      );
    }
  },
  TRUSTED_ATTRIBUTE(name, properties, where, { database, users }) {
    const settings = parse(trustedAttributeSettings, properties, where);
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
      throw failed(`${where}: ${(error as Error).message}`, 'See trustedProxies');
    }
  },
  API_KEY: (name, properties, where) => apiKeyModule(name, parse(apiKeySettings, properties, where)),
};

/** What modules that are right all the same do not do, though it may be expected of them. */
export function moduleDoubts({ serverAuthContext: { authModules } }: AuthenticationConfig) {
  return authModules.flatMap(({ name, enabled, properties }, index) => {
    if (!enabled) return [];
    const doubt = (property: string, message: string) => ({
      id: 'AUTH_MODULE_DOUBT',
      field: `/serverAuthContext/authModules/${index}${property}`,
      message,
      isWarning: true,
    });
    const isEmpty = (property: string) => {
      const value = properties[property];
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    };
    const missing = BELIEVES_A_PROXY[name]?.filter(isEmpty) ?? [];
    const augments = properties['augmentSecurityContext'] !== undefined;
    return [
      ...(missing.length === 0 ? [] : [doubt('', `${name} lets nobody in without ${missing.join(', ')}`)]),
      ...(augments
        ? [
            doubt(
              '/properties/augmentSecurityContext',
              `augmentSecurityContext of ${name} does not run: what it grants is not granted, and what it takes away is not taken away`,
            ),
          ]
        : []),
    ];
  });
}

const BELIEVES_A_PROXY: Readonly<Record<string, readonly string[]>> = {
  CLIENT_CERT: ['header', 'trustedProxies', 'allowedAuthenticationIdPatterns'],
  TRUSTED_ATTRIBUTE: ['trustedProxies'],
};

function passwordModule(rolesProperty: string): Builder {
  return (name, properties, where, { database, users, comparisons }) => {
    const { queryOnResource, defaultUserRoles, propertyMapping } = parse(
      passwordModuleSettings,
      properties,
      where,
    );
    const mapping: PropertyMapping = {
      ...propertyMapping,
      userRoles: propertyMapping.userRoles ?? rolesProperty,
    };
    return new PasswordModule({
      name,
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

function parse<T>(schema: Schema<T>, properties: JsonObject, where: string): T {
  const parsed = schema.safeParse(properties);
  if (parsed.success) return parsed.data;
  throw new ActivationError(
    parsed.error.issues.map(({ path, message }) => {
      const [key, ...inner] = path;
      const isMissing = inner.length === 0 && properties[String(key)] === undefined;
      const property = `"${path.map(String).join('.')}"`;
      return finding(
        `${where} ${isMissing ? `needs the property ${property}` : `has a wrong ${property}: ${message}`}`,
        isMissing ? SWITCH_OFF : undefined,
      );
    }),
  );
}

function failed(message: string, hint: string): ActivationError {
  return new ActivationError([finding(message, hint)]);
}

function finding(message: string, hint: string | undefined): Finding {
  return {
    id: 'AUTH_BAD_MODULE',
    where: 'conf/authentication.json:1:1',
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
