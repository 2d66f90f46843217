import { clusterEventResource, clusterResource } from '#cluster/index.ts';
import { infoConfig, managedConfig } from '#config/index.ts';
import type { KeyRingText } from '#crypto/index.ts';
import { isObject } from '#json/index.ts';
import { type Feature, type Platform, WAKE_UP } from '#platform/index.ts';
import { meetFilters, type ScriptStore, scriptTransform } from '#script/index.ts';
import { configNode } from './config-node.ts';
import { ConfigOverrides } from './config-overrides.ts';
import { configResource } from './config-resource.ts';
import { configSchemaResource } from './config-schema-resource.ts';
import { protectSecrets } from './config-secrets.ts';
import { errorCatalogue } from './error-catalogue.ts';
import { featuresResource } from './features-resource.ts';
import { healthResource } from './health-resource.ts';
import { infoResource } from './info-resource.ts';
import { keyResource } from './key-resource.ts';
import { KeyRotation } from './key-rotation.ts';
import { keystoreResource } from './keystore-resource.ts';
import { logResource, type NodeLog } from './log-resource.ts';
import { maintenanceResource } from './maintenance-resource.ts';
import { overrideSeals } from './override-seals.ts';
import { scriptOverrides } from './script-overrides.ts';
import { sealed } from './seal-config.ts';
import { statusResource } from './status-resource.ts';

export interface ServerState {
  /** What `/info/ping` says. */
  readonly state: () => { readonly state: string; readonly shortDesc: string };
  readonly version: string;
  readonly keyRing: KeyRingText;
  /** What the node has told; absent in script threads. */
  readonly log?: NodeLog;
}

/** `/config`, `/info`, `/health`, `/cluster`, `/key`, `/log`, `/maintenance`, `/security` and `/status`. */
export function administrationFeature(
  platform: Platform,
  server: ServerState,
): Feature & { readonly overrides: ConfigOverrides; readonly scriptStore: ScriptStore } {
  const { database, config, observe, crypto, notifier, router, scripts, queue } = platform;
  const alias = () => String(config.properties.get('svc.config.crypto.alias'));
  const seals = overrideSeals(crypto, alias);
  const overrides = new ConfigOverrides({ store: config, database, seals, observe });
  const activate = async () => {
    observe({ kind: 'config.written' });
    await overrides.refresh();
    notifier.notify(WAKE_UP.config);
  };
  const rotation = new KeyRotation({
    queue,
    keyRing: server.keyRing,
    projectLocation: () => String(config.properties.get('launcher.project.location')),
  });
  return {
    overrides,
    scriptStore: scriptOverrides(overrides, activate),
    resources: {
      'cluster*': clusterResource({ database, wake: () => notifier.notify(WAKE_UP.cluster) }),
      'cluster/event*': clusterEventResource(database),
      'config*': configResource({
        store: config,
        database,
        versions: () => overrides.versions,
        maySeeScripts: (context) => router.maySeeScripts(context),
        requireScriptRight: (context, field) => router.requireScriptRight(context, field),
        protect: (id, content) => protectSecrets(crypto, alias(), id, content),
        seals,
        meetFilters: (filters, ...asked) => meetFilters(filters, scripts, ...asked),
        transform: (context) => scriptTransform(scripts, context),
        refresh: () => overrides.refresh(),
        activate,
      }),
      'schema/config*': configSchemaResource(config),
      'info/error*': errorCatalogue(),
      'info/features*': featuresResource(),
      'info*': infoResource({
        ...server,
        configured: () =>
          config.list(infoConfig).map(({ alias, value }) => String(value.infocontext ?? alias)),
        userInterface() {
          const id = 'ui/configuration';
          const written = config.findRaw(id);
          const settings = isObject(written) ? sealed(id, written)['configuration'] : undefined;
          return isObject(settings) ? settings : {};
        },
        protectedProperties(name) {
          const type = config.get(managedConfig).objects.find((object) => object.name === name);
          const properties = Object.entries(type?.schema?.properties ?? {});
          return properties.flatMap(([property, { isProtected }]) =>
            isProtected === true ? [property] : [],
          );
        },
      }),
      'health*': healthResource(database),
      'key*': keyResource(database, rotation),
      'log*': logResource(server.log),
      maintenance: maintenanceResource(),
      'security/keystore': keystoreResource(database, 'keystore'),
      'security/truststore': keystoreResource(database, 'truststore'),
      status: statusResource(database),
    },
    node: (node) => configNode(platform, node),
  };
}
