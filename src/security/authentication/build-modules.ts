import {
  type AuthenticationConfig,
  type KnownModule,
  openProperties,
  type PasswordModuleSettings,
} from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { ActivationError, type Finding, wordsOf } from '#errors/index.ts';
import { type ApiKeyParts, apiKeyModule } from './api-key-module.ts';
import { type Augment, augmentScript, shownProperties } from './augmentation.ts';
import { augmentedModule, type Denial } from './augmented-module.ts';
import { type AuthenticationModule, wayOf } from './authentication-module.ts';
import { bearerModule } from './bearer-module.ts';
import { builtModules } from './built-modules.ts';
import { certificateModule } from './certificate-module.ts';
import { accountFinder, type UserDirectory } from './find-account.ts';
import type { KnownOwners } from './known-owners.ts';
import { nameScriptRoles } from './name-script-roles.ts';
import type { PasswordComparisons } from './password-comparisons.ts';
import { PasswordModule } from './password-module.ts';
import { passwordRenewal } from './renew-password.ts';
import { staticModule } from './static-module.ts';
import type { StoredKeys } from './stored-keys.ts';
import { trustedAttributeModule } from './trusted-attribute-module.ts';

export interface ModuleParts {
  readonly database: Database;
  readonly crypto: Crypto;
  readonly users: UserDirectory;
  readonly comparisons: PasswordComparisons;
  readonly keys: StoredKeys;
  readonly owners: KnownOwners;
  /** Where issuers of tokens may be. */
  readonly guard: AddressGuard;
  /** Runs the scripts of modules. */
  readonly augment: Augment;
  /** The role of whoever claims to be nobody. */
  readonly publicRole: string;
  readonly managedTypes: () => readonly string[];
  /** The algorithm by which a property of a collection is hashed, where the project says so. */
  readonly hashOf: (collection: string, property: string) => string | undefined;
  readonly onDenied: (denial: Denial) => void;
}

type AuthModule = AuthenticationConfig['serverAuthContext']['authModules'][number];

/**
 * The modules that are enabled, in order.
 *
 * @throws ActivationError for addresses of proxies and patterns that cannot be read, all at once
 */
export function buildModules(
  config: AuthenticationConfig,
  parts: ModuleParts,
): readonly AuthenticationModule[] {
  const findings: Finding[] = [];
  const built = builtModules(config);
  const hashesOf = (id: string) =>
    built.flatMap(({ module: { known } }) =>
      known.name === 'API_KEY'
        ? known.settings.keys.filter((key) => key.id === id).map(({ hash }) => hash)
        : [],
    );
  const modules = built.flatMap(({ module, index }) => {
    try {
      return [withScript(module, buildModule(module.known, { ...parts, hashesOf }), parts)];
    } catch (error) {
      findings.push({
        id: 'AUTH_BAD_MODULE',
        where: 'conf/authentication.json:1:1',
        field: `/serverAuthContext/authModules/${index}/properties`,
        message: `${module.name} in serverAuthContext.authModules[${index}]: ${wordsOf(error)}`,
        hint: 'See trustedProxies and allowedAuthenticationIdPatterns',
      });
      return [];
    }
  });
  if (findings.length > 0) throw new ActivationError(findings);
  return modules;
}

function withScript(
  { properties }: AuthModule,
  module: AuthenticationModule,
  { augment, database, managedTypes, onDenied }: ModuleParts,
): AuthenticationModule {
  const script = augmentScript(properties);
  if (script === undefined) return module;
  return augmentedModule({
    module,
    script,
    properties: shownProperties(properties),
    augment,
    nameRoles: (roles) => nameScriptRoles(database.db, managedTypes(), roles),
    onDenied,
  });
}

function buildModule(
  known: KnownModule,
  parts: ModuleParts & Pick<ApiKeyParts, 'hashesOf'>,
): AuthenticationModule {
  const { database, crypto, users, comparisons, guard, owners, hashesOf } = parts;
  const { name, settings } = known;
  switch (name) {
    case 'STATIC_USER':
      return openProperties(settings).length > 0
        ? { name, authenticate: async () => undefined }
        : staticModule(name, settings, { crypto, comparisons, publicRole: parts.publicRole });
    case 'MANAGED_USER':
    case 'INTERNAL_USER':
      return passwordModule(name, settings, parts);
    case 'OPENID_CONNECT': {
      const { queryOnResource, propertyMapping } = settings;
      const find =
        queryOnResource === undefined
          ? undefined
          : accountFinder(database, users, {
              queryOnResource,
              mapping: propertyMapping,
              defaultRoles: [],
              nameIs: 'stated',
            }).find;
      return bearerModule({ name, settings, find, guard, owners });
    }
    case 'CLIENT_CERT':
      return certificateModule(name, settings, owners);
    case 'TRUSTED_ATTRIBUTE': {
      const { queryOnResource, propertyMapping, defaultUserRoles } = settings;
      const accounts = accountFinder(database, users, {
        queryOnResource,
        mapping: propertyMapping,
        defaultRoles: defaultUserRoles,
        nameIs: 'stated',
      });
      return trustedAttributeModule(name, settings, accounts);
    }
    case 'API_KEY':
      return apiKeyModule(name, settings, { stored: parts.keys, owners, hashesOf });
  }
}

function passwordModule(
  name: string,
  { queryOnResource, defaultUserRoles, propertyMapping }: PasswordModuleSettings,
  { database, crypto, users, comparisons, hashOf }: ModuleParts,
): AuthenticationModule {
  return new PasswordModule({
    name,
    way: wayOf([queryOnResource, propertyMapping.authenticationId, propertyMapping.userCredential]),
    accounts: accountFinder(database, users, {
      queryOnResource,
      mapping: propertyMapping,
      defaultRoles: defaultUserRoles,
      nameIs: 'typed',
    }),
    comparisons,
    renew: passwordRenewal({ database, crypto, property: propertyMapping.userCredential, hashOf }),
  });
}
