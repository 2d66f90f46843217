import { connect as connectTo, isIP, type Socket } from 'node:net';
import { AddressGuard, type Destination, type Network } from '#egress/index.ts';
import type { HealthPart } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { CONNECTOR_KINDS } from './connector-kinds.ts';
import type { ConnectorHost } from './contract.ts';
import { guardedRequest } from './guarded-request.ts';
import type { LiveSync } from './live-sync.ts';
import { CONNECTOR_USE, connectorScripts } from './run-connector-script.ts';
import { SystemChanges } from './system-changes.ts';
import { systemResource } from './system-resource.ts';
import { Systems } from './systems.ts';

export interface SystemFeature extends Feature {
  /** Whether many objects of a collection are found by their ids with one question. */
  readonly findsByIds: (collection: string) => boolean;
  readonly changes: SystemChanges;
}

/** `/system` */
export function systemFeature(
  { config, crypto, observe, router, scripts }: Platform,
  {
    allowedNetworks,
    onlyDestinations,
    liveSync,
  }: {
    readonly allowedNetworks: readonly Network[];
    readonly onlyDestinations?: readonly Destination[] | undefined;
    readonly liveSync: LiveSync;
  },
): SystemFeature {
  const guard = new AddressGuard(allowedNetworks, { only: onlyDestinations });
  const systems = new Systems({
    config,
    crypto,
    observe,
    connect: guarded(guard),
    request: guardedRequest(guard),
    runScript: connectorScripts(scripts),
    kinds: CONNECTOR_KINDS,
  });
  return {
    scriptUses: { connector: CONNECTOR_USE },
    changes: new SystemChanges(systems),
    findsByIds: (collection) => systems.findsByIds(collection),
    resources: { 'system*': systemResource(systems, liveSync, router) },
    node: () => ({
      services: [
        {
          name: 'systems',
          start: async () => {},
          stop: () => systems[Symbol.asyncDispose](),
        },
      ],
      health: () => systemHealth(systems),
    }),
  };
}

function guarded(guard: AddressGuard): ConnectorHost['connect'] {
  return ({ host, port }): Socket => {
    // What is written as an address is never looked up.
    if (isIP(host) !== 0) guard.check(host, host);
    return connectTo({ host, port, lookup: guard.lookup, keepAlive: true, keepAliveInitialDelay: 60_000 });
  };
}

/** The node answers as well as any other: what is away is not here. */
async function systemHealth(systems: Systems): Promise<readonly HealthPart[]> {
  const open = await systems.opened().catch(() => []);
  const away = open.flatMap(({ name, circuit: { broken } }) =>
    broken === undefined ? [] : [`'${name}' is away: ${broken.why}`],
  );
  return away.length === 0 ? [] : [{ name: 'systems', ok: true, detail: away.join('; ') }];
}
