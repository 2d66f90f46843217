import {
  ConfigOverrides,
  configResource,
  healthResource,
  infoResource,
  overrideSeals,
  protectSecrets,
} from '#administration/index.ts';
import { clusterResource } from '#cluster/index.ts';
import { infoConfig, managedConfig } from '#config/index.ts';
import { scriptTransform } from '#script/index.ts';
import { type Platform, TOPIC } from './platform.ts';

export interface ServerState {
  /** What `/info/ping` says. */
  readonly state: () => { readonly state: string; readonly shortDesc: string };
  readonly version: string;
}

/** `/config`, `/info`, `/health` and `/cluster`. */
export function addAdministration(platform: Platform, server: ServerState): { overrides: ConfigOverrides } {
  const { database, config, observe, crypto, notifier, router, scripts } = platform;
  const alias = () => String(config.properties.get('svc.config.crypto.alias'));
  const seals = overrideSeals(crypto, alias);
  const overrides = new ConfigOverrides({ store: config, database, seals, observe });
  router.mount('cluster*', clusterResource(database));
  router.mount(
    'config*',
    configResource({
      store: config,
      protect: (id, content) => protectSecrets(crypto, alias(), id, content),
      seals,
      transform: (context) => scriptTransform(scripts, context),
      refresh: () => overrides.refresh(),
      async activate() {
        observe({ kind: 'config.written' });
        await overrides.refresh();
        notifier.notify(TOPIC.config);
      },
    }),
  );
  router.mount(
    'info*',
    infoResource({
      ...server,
      configured: () => config.list(infoConfig).map(({ alias, value }) => String(value.infocontext ?? alias)),
      protectedProperties(name) {
        const type = config.get(managedConfig).objects.find((object) => object.name === name);
        const properties = Object.entries(type?.schema?.properties ?? {});
        return properties.flatMap(([property, { isProtected }]) => (isProtected === true ? [property] : []));
      },
    }),
  );
  router.mount('health*', healthResource(database));
  return { overrides };
}
