import { type AuthenticationConfig, authenticationConfig, managedConfig } from '#config/index.ts';
import { deriveSecrets, HASHES_AT_ONCE, hashPassword, type KeyRingText } from '#crypto/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import type { JsonObject } from '#json/index.ts';
import { Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { type Context, resource, type SecurityContext, singleton } from '#resource/index.ts';
import type { KnownRoles } from '../access/known-roles.ts';
import { requireModule } from '../check-authentication.ts';
import { apiKeyResource } from './api-key-resource.ts';
import { AUGMENT_USE } from './augment-security.ts';
import type { Augment } from './augmentation.ts';
import { authenticationResource } from './authentication-resource.ts';
import { Authenticator, type AuthenticatorOptions, type AuthenticatorParts, letIn } from './authenticator.ts';
import { buildModules } from './build-modules.ts';
import { builtModules } from './built-modules.ts';
import { changedPeople } from './changed-people.ts';
import { type ComparisonDesk, localDesk } from './comparison-desk.ts';
import type { UserDirectory } from './find-account.ts';
import { followAccounts } from './follow-accounts.ts';
import { IssuerLogins, providersOf } from './issuer-login.ts';
import { KnownOwners } from './known-owners.ts';
import { lockoutResource } from './lockout-resource.ts';
import { pruneLogins } from './login-failure-repository.ts';
import { LoginNameKeeper } from './login-name-keeper.ts';
import { loginPlaces } from './login-places.ts';
import { LoginThrottle } from './login-throttle.ts';
import { matchesStored } from './matches-stored.ts';
import { listOwners } from './owner-repository.ts';
import { PasswordComparisons } from './password-comparisons.ts';
import { planAuthentication } from './plan-authentication.ts';
import type { RateWords } from './rate-limit.ts';
import { RightPasswords } from './right-passwords.ts';
import { samePersonNow } from './same-person.ts';
import { sessionResource } from './session-resource.ts';
import { byTheSameWay, Sessions } from './sessions.ts';
import { StoredKeys } from './stored-keys.ts';
import { pruneUsedLogins } from './used-login-repository.ts';

const SESSION_KEY = 'svc-jwtsessionhmac-key';
const PRUNE_INTERVAL_MS = 600_000;

/** What the threads of a node that people come in by have in common. */
export interface ComingIn {
  /** Default: passwords are compared in this thread. */
  readonly desk?: ComparisonDesk | undefined;
  /** Where is counted what is bounded for the node; default: in this thread. */
  readonly rates?: ComingRates | undefined;
}

/** Guesses beside right passwords, wrong tokens, and logins that come back from an issuer. */
export type ComingRates = Readonly<Record<'guesses' | 'failures' | 'comings', RateWords>>;

export interface AuthenticationFeature extends Feature {
  readonly authenticator: Authenticator;
  /** Where this thread has passwords compared. */
  readonly desk: ComparisonDesk;
  /**
   * Who has sent the request, as they are now, by the module that let them in; undefined when they may come in no more, when
   * their password or key is another one, or where the module cannot say.
   */
  readonly callerNow: (context: Context) => Promise<SecurityContext | undefined>;
  /** Whoever logs in by that name and a password, with the roles they have now; undefined when nobody may. */
  readonly personNamed: (name: string, context: Context) => Promise<SecurityContext | undefined>;
}

/** `/authentication`, and what turns a caller's credentials into an identity. */
export function authenticationFeature(
  platform: Platform,
  {
    keyRing,
    knownRoles,
    users,
    guard,
    augment,
    comingIn = {},
  }: {
    keyRing: KeyRingText;
    knownRoles: KnownRoles;
    users: UserDirectory;
    guard: AddressGuard;
    augment: Augment;
    comingIn?: ComingIn | undefined;
  },
): AuthenticationFeature {
  const { database, config, crypto, observe } = platform;
  let made: Promise<JsonObject> | undefined;
  const decoy = () => (made ??= hashPassword('nobody'));
  const { rates } = comingIn;
  const right = new RightPasswords(rates?.guesses);
  const desk =
    comingIn.desk ??
    localDesk({
      throttle: new LoginThrottle(database),
      matches: (password, stored) => matchesStored(crypto, password, stored, decoy),
      atOnce: HASHES_AT_ONCE,
      right,
    });
  const comparisons = new PasswordComparisons({ desk, right, decoy });
  const keys = new StoredKeys(database);
  const secrets = deriveSecrets(keyRing, SESSION_KEY, 'session cookie');
  const build = (value: AuthenticationConfig): AuthenticatorParts => {
    const modules = buildModules(value, {
      crypto,
      database,
      users,
      comparisons,
      keys,
      owners: new KnownOwners(database),
      guard,
      augment,
      publicRole: config.properties.roles.reg,
      managedTypes: () => config.get(managedConfig).objects.map(({ name }) => name),
      hashOf: (collection, property) => {
        const type = config.get(managedConfig).objects.find(({ name }) => `managed/${name}` === collection);
        return type?.schema?.properties?.[property]?.secureHash?.algorithm;
      },
      onDenied: (denial) => observe({ kind: 'login.denied', ...denial }),
    });
    const settings = value.serverAuthContext.sessionModule;
    const sessions =
      settings === undefined || secrets.length === 0
        ? undefined
        : new Sessions({ database, secrets, settings, modules });
    const built = builtModules(value);
    const revision = config.revisionOf(authenticationConfig.id);
    const places = new Map(modules.map((module, at) => [module, { at: built[at]?.index ?? at, revision }]));
    return { modules, places, sessions, adminRole: config.properties.roles.admin };
  };
  let parts = build(config.get(authenticationConfig));
  let places = loginPlaces(config.get(authenticationConfig));
  followAccounts(database, () => places);
  config.addCheck(authenticationConfig, async (value, _id, previous) => {
    const { modules } = build(value);
    requireModule(value);
    const inForce = previous === undefined ? undefined : build(previous).modules;
    return changedPeople(value, modules, { modules: inForce, known: await listOwners(database.db) });
  });
  config.addCheck(authenticationConfig, (value) => knownRoles.objections(database.db, value));
  config.addPlanner(authenticationConfig, {
    effectsOf: ({ previous, current }) => planAuthentication(database.db, previous, current),
  });
  config.watchOnly(authenticationConfig, () => {
    parts = build(config.get(authenticationConfig));
    places = loginPlaces(config.get(authenticationConfig));
  });
  const apiKeyModules = () =>
    builtModules(config.get(authenticationConfig)).flatMap(({ module: { known } }) =>
      known.name === 'API_KEY' ? [known.settings] : [],
    );
  const minutes = () => parts.sessions?.settings.tokenIdleTimeMinutes ?? 0;
  const told: Pick<AuthenticatorOptions, 'onLogin' | 'onUnreachable'> = {
    onLogin: ({ client, ...event }) =>
      observe({ kind: 'login.attempted', ...event, address: client.remoteAddress }),
    onUnreachable: (error) => observe({ kind: 'issuer.unreachable', error: error.cause ?? error }),
  };
  const authenticator = new Authenticator({
    parts: () => parts,
    comparisons,
    failures: rates?.failures,
    onRefused: (why, address) => observe({ kind: 'login.refused', why, address }),
    ...told,
  });
  const logins = new IssuerLogins({
    parts: () => parts,
    secrets: deriveSecrets(keyRing, SESSION_KEY, 'pending login'),
    comings: rates?.comings,
    ...told,
    onRefuses: (error) => observe({ kind: 'issuer.refuses', error: error.cause ?? error }),
  });
  return {
    authenticator,
    desk,
    async callerNow({ security, client, http, transactionId }) {
      const { modules } = parts;
      const found = await samePersonNow(modules, security, { client, http, requestId: transactionId });
      return (
        found && letIn({ ...found, security: byTheSameWay(found.security, security) }, found.module, parts)
      );
    },
    async personNamed(name, { client, http, transactionId }) {
      const asked = { client, http, requestId: transactionId };
      const person = { authenticationId: name, component: '', id: '', claimedRoles: [] };
      for (const module of parts.modules) {
        // The others know whomever an issuer or a proxy names.
        if (module.verifyPassword === undefined) continue;
        const found = await module.refresh?.(person, asked);
        if (found !== undefined) return letIn(found, module, parts);
      }
      return undefined;
    },
    scriptUses: { augmentSecurityContext: AUGMENT_USE },
    resources: {
      authentication: authenticationResource(() => parts, logins),
      // Clients of the field ask for these before they show a login.
      identityProviders: singleton({
        description: { title: 'identity providers' },
        read: async () => resource('', null, { providers: providersOf(parts.modules) }),
      }),
      'authentication/lockout*': lockoutResource(database),
      'apikey*': apiKeyResource({ database, modules: apiKeyModules, knownRoles }),
      'session*': sessionResource({ database, idleMs: () => minutes() * 60_000 }),
    },
    node() {
      const names = new LoginNameKeeper({ database, places: () => places, observe });
      config.watchOnly(authenticationConfig, () => names.look());
      const pruning = { name: 'failed logins', intervalMs: PRUNE_INTERVAL_MS };
      const prune = async () => {
        await pruneLogins(database.db);
        await pruneUsedLogins(database.db);
      };
      return {
        services: [new Ticker({ ...pruning, runOnce: prune, observe }), names],
        gauges: [
          {
            name: 'svc_login_waiting',
            help: 'Logins whose password waits for its turn to be compared',
            read: () => comparisons.waiting,
          },
        ],
      };
    },
  };
}
