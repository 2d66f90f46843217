import { administrationFeature, type ConfigOverrides, type ServerState } from '#administration/index.ts';
import { authenticationConfig, managedConfig, policyConfig } from '#config/index.ts';
import { AddressGuard, type Destination, type Network } from '#egress/index.ts';
import { ENDPOINT_USE, Endpoints } from '#endpoint/index.ts';
import { type EventFeature, eventFeature } from '#events/index.ts';
import { liveSyncFeature } from '#livesync/index.ts';
import { managedFeature } from '#managed/index.ts';
import { personalFeature } from '#personal/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { reconFeature } from '#recon/index.ts';
import type { RequestSink, SecurityContext } from '#resource/index.ts';
import { ScheduledServices, schedulerFeature } from '#scheduler/index.ts';
import { scimFeature } from '#scim/index.ts';
import { SCRIPT_USES, type ScriptUse } from '#script/index.ts';
import {
  type AccessRules,
  type AuditFeature,
  type Augment,
  type AuthenticationFeature,
  accessFeature,
  accessRules,
  auditFeature,
  augmentHere,
  authenticationFeature,
  type ComingIn,
  exceptedRoles,
  KnownRoles,
  RoleGrants,
  userDirectory,
} from '#security/index.ts';
import { syncFeature } from '#sync/index.ts';
import { systemFeature } from '#system/index.ts';
import { taskscannerFeature } from '#taskscanner/index.ts';
import { type WorkflowPlatform, workflowFeature } from '#workflow/index.ts';
import { openPlatform, type PlatformOptions } from './open-platform.ts';
import { scriptFeature } from './script-feature.ts';

/** Everything a request needs; the same in the main thread and in script threads. */
export interface Core extends Platform {
  /** The features, in the order in which their parts start on a node. */
  readonly features: readonly Feature[];
  readonly services: ScheduledServices;
  readonly endpoints: Endpoints;
  readonly overrides: ConfigOverrides;
  readonly workflow: WorkflowPlatform;
  readonly access: AccessRules;
  readonly authentication: AuthenticationFeature;
  readonly audit: AuditFeature;
  readonly events: EventFeature;
}

export interface CoreOptions extends ServerState, PlatformOptions {
  /** The most bytes of the body of a request from outside. */
  readonly bodyLimitBytes: number;
  /** Shared by all threads: whether anybody in the cluster listens to events. */
  readonly listening?: SharedArrayBuffer;
  /** Where requests come in; default: the router. */
  readonly entrance?: RequestSink;
  /** Asked for users who log in; default: the router. */
  readonly users?: RequestSink;
  /** What runs the scripts of authentication modules; default: `scripts`. */
  readonly augment?: Augment;
  /** What the threads have in common that people come in by. */
  readonly comingIn?: ComingIn | undefined;
  /** Where the project's own services and delegates are; only where they may run. */
  readonly serviceDirectory?: string;
  /** Where requests of the server may go besides public addresses. */
  readonly allowedNetworks: readonly Network[];
  /** Where they may go at all; undefined: wherever an address is open. */
  readonly onlyDestinations?: readonly Destination[] | undefined;
}

/** Builds the platform, then every feature on it. */
export function buildCore(options: CoreOptions): Core {
  const { config, keyRing, allowedNetworks, onlyDestinations, serviceDirectory } = options;
  const { platform, access } = openPlatform(options, (scripts) => accessRules(config, scripts));
  const { router, scripts } = platform;
  const services = new ScheduledServices();
  const administration = administrationFeature(platform, options);
  const isCurrent = administration.overrides.isCurrent.bind(administration.overrides);
  const workflow = workflowFeature(platform, { serviceDirectory, allowedNetworks, onlyDestinations });
  const audit = auditFeature(platform, keyRing);
  const sync = syncFeature(platform, {
    record: audit.record,
    requireAccount: (...account) => managed.requireAccount(...account),
  });
  const system = systemFeature(platform, {
    allowedNetworks,
    onlyDestinations,
    liveSync: (context, order) => live.follow(context, order),
  });
  const reconRecord: AuditFeature['record'] = (context, facts, objectId) =>
    audit.record(context, facts, objectId, 'recon');
  const recon = reconFeature(platform, sync.ground, reconRecord, {
    beforeListing: (context, collection) => live.begin(context, collection),
    findsByIds: system.findsByIds,
  });
  const live = liveSyncFeature(platform, sync.ground, {
    systems: system.changes,
    reconcile: recon.reconcile,
  });
  const ownRoles = Object.values(config.properties.roles);
  const excepted = () =>
    [config.get(managedConfig), config.get(policyConfig)].flatMap((one) => exceptedRoles(one));
  const knownRoles = new KnownRoles({
    config: () => config.get(authenticationConfig),
    rules: access,
    furtherRoles: () => [...ownRoles, ...excepted()],
    managedTypes: () => config.get(managedConfig).objects.map(({ name }) => name),
  });
  const managed = managedFeature(platform, {
    synchronizer: sync.synchronizer,
    knownRoles,
    roleGrants: new RoleGrants({
      config: () => config.get(authenticationConfig),
      rules: access,
      ownRoles,
      exceptedRoles: excepted,
      maySeeScripts: (context) => router.maySeeScripts(context),
    }),
  });
  const endpoints = new Endpoints({ ...platform });
  const scheduler = schedulerFeature(platform, { services, serviceDirectory, isCurrent });
  // Asked only once all features are there.
  const taskscanner = taskscannerFeature(platform, {
    callerNow: (context): Promise<SecurityContext | undefined> => authentication.callerNow(context),
  });
  // Last, so that what its watcher is told of is in force everywhere.
  const authentication = authenticationFeature(platform, {
    keyRing,
    knownRoles,
    users: userDirectory(platform, options.users ?? router),
    guard: new AddressGuard(allowedNetworks, { only: onlyDestinations }),
    // Whoever logs in here may be waited for by a script.
    augment: options.augment ?? augmentHere(() => scripts, 1),
    comingIn: options.comingIn,
  });
  const { listening = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), entrance = router } = options;
  const events = eventFeature(platform, { access, listening, entrance });
  /** Known when all features are. */
  const uses: Record<string, ScriptUse> = {};
  const features: readonly Feature[] = [
    {
      ...scriptFeature(platform, uses, administration.scriptStore),
      scriptUses: { ...SCRIPT_USES, endpoint: ENDPOINT_USE },
    },
    scheduler,
    taskscanner,
    workflow,
    accessFeature(platform, access, authentication.personNamed),
    authentication,
    audit,
    managed,
    sync,
    system,
    recon,
    live,
    administration,
    personalFeature(platform),
    scimFeature(platform, options),
    events,
  ];
  for (const { resources = {}, services: offered = [], scriptUses = {} } of features) {
    Object.assign(uses, scriptUses);
    for (const [pattern, handler] of Object.entries(resources)) router.mount(pattern, handler);
    for (const service of offered) services.register(service);
  }
  const { overrides } = administration;
  return {
    ...platform,
    features,
    services,
    endpoints,
    overrides,
    workflow: workflow.workflow,
    access,
    authentication,
    audit,
    events,
  };
}
