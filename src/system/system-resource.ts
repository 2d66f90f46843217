import {
  answerFromMemory,
  collection,
  type RouteHandler,
  type RouteMatch,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { describeObjectType } from './describe-object-type.ts';
import type { LiveSync } from './live-sync.ts';
import { compileObjectTypes } from './object-type.ts';
import type { System } from './system.ts';
import { describeSystem, type SentConfigs, systemActions, systemsActions } from './system-actions.ts';
import { systemObjects } from './system-object-resource.ts';
import type { Systems } from './systems.ts';
import { typeNamed } from './type-named.ts';

const FIELDS = [
  '_id',
  'name',
  'enabled',
  'config',
  'connectorRef',
  'displayName',
  'objectTypes',
  'availability',
];

/** `/system`, `/system/<name>`, and objects at `/system/<name>/<type>/<id>`. */
export function systemResource(systems: Systems, liveSync: LiveSync, sent: SentConfigs): RouteHandler {
  const all = systemsActions(systems, liveSync, sent);
  return {
    async handle(context, request, match) {
      const [name, type] = match.remaining;
      if (name === undefined) {
        if (request.method === 'action') return all.run(writeContext(context), request);
        if (request.method !== 'query') return unsupported(request);
        const rows = systems.all.map(async (one) => ({
          _id: one.config.name,
          ...describeSystem(one),
          availability: { ...(await systems.stateOf(one.config)) },
        }));
        return answerFromMemory(request, await Promise.all(rows), FIELDS);
      }
      if (type === undefined) {
        if (request.method === 'action')
          return systemActions(systems, name, liveSync).run(writeContext(context), request);
        return unsupported(request);
      }
      const objects = objectsOf(await systems.named(name), type, liveSync);
      return objects.handle(context, request, below(match));
    },
    runsScripts(request, { remaining: [name] }) {
      if (name === undefined) return request.method === 'action' && all.runsScripts(request);
      return systems.runsScripts(name);
    },
    asksOthers: false,
    describe: (path) => [
      {
        path,
        kind: 'collection',
        title: 'other systems',
        methods: ['query', 'action'],
        actions: all.describe(),
      },
      ...systems.enabled.flatMap((config) => [
        {
          path: `${path}/${config.name}`,
          kind: 'singleton' as const,
          title: config.name,
          methods: ['action'] as const,
          actions: systemActions(systems, config.name, liveSync).describe(),
        },
        ...[...compileObjectTypes(config).values()].flatMap((type) =>
          describeObjectType(`${path}/${config.name}/${type.name}`, type),
        ),
      ]),
    ],
  };
}

const known = new WeakMap<System, Map<string, RouteHandler>>();

/** @throws NotFoundError `SYSTEM_NO_TYPE` */
function objectsOf(system: System, name: string, liveSync: LiveSync): RouteHandler {
  const handlers = known.get(system) ?? new Map<string, RouteHandler>();
  known.set(system, handlers);
  const type = typeNamed(system, name);
  const handler = handlers.get(name) ?? collection(systemObjects(system, type, liveSync));
  handlers.set(name, handler);
  return handler;
}

/** The same match as the collection itself would have it. */
function below({ matched, remaining, variables }: RouteMatch): RouteMatch {
  return { matched: [...matched, ...remaining.slice(0, 2)], remaining: remaining.slice(2), variables };
}
