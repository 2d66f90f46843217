import {
  type AuthenticationConfig,
  auditConfig,
  authenticationConfig,
  type ConfigStore,
  clusterConfig,
  managedConfig,
  processConfig,
} from '#config/index.ts';
import { deriveSecrets, HASHES_AT_ONCE, hashPassword, type KeyRingText } from '#crypto/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { ServiceUnavailableError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { internalContext, type RequestSink, systemContext } from '#resource/index.ts';
import { findSyntaxError, parseScriptReference, requestView, type ScriptReference } from '#script/index.ts';
import {
  type AccessFile,
  AccessRules,
  AuditKeys,
  type Augment,
  Authenticator,
  type AuthenticatorParts,
  auditResource,
  authenticationResource,
  buildModules,
  CONDITION_NAMES,
  entrySigner,
  followAccounts,
  type LoginPlaces,
  LoginThrottle,
  lockoutResource,
  loginPlaces,
  matchesStored,
  PasswordComparisons,
  readSessionSettings,
  recordChanges,
  Sessions,
  type SignEntry,
  sessionResource,
  type UserDirectory,
} from '#security/index.ts';
import { ACCESS_FILE, requireModule } from './check-parts.ts';
import type { Platform } from './platform.ts';

const SESSION_KEY = 'svc-jwtsessionhmac-key';

/** The rules for external requests. Until `loadAccessRules` only administrators may do anything. */
export function accessRules(config: ConfigStore, platform: () => Platform): AccessRules {
  return new AccessRules({
    properties: (type) => managedProperties(config, type),
    processRules: () =>
      config.list(processConfig).find(({ alias }) => alias === 'access')?.value.workflowAccess,
    async decideByScript(context, request, condition, text) {
      const { scripts } = platform();
      const known = `var {${CONDITION_NAMES.join(', ')}, isQueryOneOf} = require('auth/customAuthz');`;
      const reference = javascript(`${text}\n;${known}\n(${condition});`);
      const call = { reference, label: ACCESS_FILE, bindings: { request: requestView(request) } };
      return (await scripts.evaluate(internalContext(context), call)).value === true;
    },
  });
}

function managedProperties(config: ConfigStore, type: string): JsonObject | undefined {
  const found = config.get(managedConfig).objects.find(({ name }) => name === type) as JsonObject | undefined;
  const schema = found?.['schema'];
  const properties = isObject(schema ?? null) ? (schema as JsonObject)['properties'] : undefined;
  return properties === undefined ? undefined : (properties as JsonObject);
}

/** Evaluates `script/access.js`, where scripts run; undefined when there is no such file. */
export async function evaluateAccessFile({
  scripts,
  scriptFiles,
}: Platform): Promise<AccessFile | undefined> {
  // Whoever asks has seen a change, which what was read a moment ago may lack.
  scriptFiles.forget();
  const file = await scriptFiles.find(ACCESS_FILE);
  if (file === undefined) return undefined;
  // What is put behind it must not move the place of a mistake.
  const mistake = findSyntaxError({ name: ACCESS_FILE, source: file.text });
  if (mistake !== undefined) {
    const { line, column, message } = mistake;
    throw new ServiceUnavailableError(`${ACCESS_FILE}:${line}:${column}  ${message}`, {
      id: 'SCRIPT_NOT_COMPILED',
    });
  }
  const reference = javascript(`${file.text}\n;httpAccessConfig;`);
  const { value } = await scripts.evaluate(systemContext(), { reference, label: ACCESS_FILE, bindings: {} });
  return { config: value, text: file.text };
}

function javascript(source: string): ScriptReference {
  return parseScriptReference({ type: 'text/javascript', source }, '');
}

/** The text of `script/access.js`, to see when it changes. */
export async function accessFileText({ scriptFiles }: Platform): Promise<string | undefined> {
  return (await scriptFiles.find(ACCESS_FILE))?.text;
}

export interface AuditFeature {
  readonly keys: AuditKeys;
  /** Signs entries as those of this node. */
  readonly sign: SignEntry;
}

/** `/audit`, and the record of every change in the transaction that makes it. */
export function addAudit({ database, config, router }: Platform, keyRing: KeyRingText): AuditFeature {
  const keys = new AuditKeys(keyRing);
  const sign = entrySigner(keys, config.get(clusterConfig).instanceId);
  const options = { database, config: () => config.get(auditConfig), sign };
  recordChanges(options);
  router.mount('audit*', auditResource(options));
  return { keys, sign };
}

/** Users as the router answers for them. */
export function userDirectory({ config, router }: Platform, resources: RequestSink): UserDirectory {
  let generation = 0;
  config.watch(() => {
    generation += 1;
  });
  return {
    handle: (context, request) => resources.handle(context, request),
    answersAsStored(query, names) {
      const properties = managedProperties(config, query.path[1] ?? '');
      if (properties === undefined || router.runsScripts(query)) return false;
      return names.every((name) => (properties[name] as JsonObject | undefined)?.['isVirtual'] !== true);
    },
    get generation() {
      return generation;
    },
  };
}

export interface AuthenticationFeature {
  readonly authenticator: Authenticator;
  readonly places: () => LoginPlaces;
  readonly comparisons: PasswordComparisons;
}

/** `/authentication`, and what turns a caller's credentials into an identity. */
export function addAuthentication(
  platform: Platform,
  {
    keyRing,
    users,
    guard,
    augment,
  }: { keyRing: KeyRingText; users: UserDirectory; guard: AddressGuard; augment: Augment },
): AuthenticationFeature {
  const { database, config, crypto, router, observe } = platform;
  let decoy: Promise<JsonObject> | undefined;
  const comparisons = new PasswordComparisons({
    throttle: new LoginThrottle(database),
    matches: (password, stored) => matchesStored(crypto, password, stored),
    decoy: () => (decoy ??= hashPassword('nobody')),
    atOnce: HASHES_AT_ONCE,
  });
  const secrets = deriveSecrets(keyRing, SESSION_KEY, 'session cookie');
  const build = (value: AuthenticationConfig): AuthenticatorParts => {
    const modules = buildModules(value, {
      crypto,
      database,
      users,
      comparisons,
      guard,
      augment,
      managedTypes: () => config.get(managedConfig).objects.map(({ name }) => name),
      onDenied: (denial) => observe({ kind: 'login.denied', ...denial }),
    });
    const settings = readSessionSettings(value);
    const sessions =
      settings === undefined || secrets.length === 0
        ? undefined
        : new Sessions({ database, secrets, settings, modules });
    return { modules, sessions };
  };
  let parts = build(config.get(authenticationConfig));
  let places = loginPlaces(config.get(authenticationConfig));
  followAccounts(database, () => places);
  config.addCheck(authenticationConfig, (value) => {
    build(value);
    requireModule(value);
  });
  config.watchOnly(authenticationConfig, () => {
    parts = build(config.get(authenticationConfig));
    places = loginPlaces(config.get(authenticationConfig));
  });
  router.mount(
    'authentication',
    authenticationResource(() => parts),
  );
  const minutes = () => parts.sessions?.settings.tokenIdleTimeMinutes ?? 0;
  router.mount('session*', sessionResource({ database, idleMs: () => minutes() * 60_000 }));
  router.mount('authentication/lockout*', lockoutResource(database));
  const authenticator = new Authenticator({
    parts: () => parts,
    comparisons,
    onLogin: ({ client, ...event }) =>
      observe({ kind: 'login.attempted', ...event, address: client.remoteAddress }),
    onRefused: (why, address) => observe({ kind: 'login.refused', why, address }),
    onUnreachable: (error) => observe({ kind: 'issuer.unreachable', error: error.cause ?? error }),
  });
  return { authenticator, comparisons, places: () => places };
}
