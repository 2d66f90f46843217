import { type ConfigStore, managedConfig, policyConfig, repoConfig, writtenJson } from '#config/index.ts';
import { isObject } from '#json/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { compileQueries, IndexKeeper, internalObjects, repoResource, wantedIndexes } from '#repo/index.ts';
import { formatPath } from '#resource/index.ts';
import { requireTypes } from './check-managed.ts';
import { hookScripts } from './hook-scripts.ts';
import { managedObjectResource } from './managed-object-resource.ts';
import { ManagedTypes } from './managed-types.ts';
import { planTypes } from './plan/plan-types.ts';
import { policeRawObjects } from './policy/police-raw-objects.ts';
import { PolicyBook } from './policy/policy-book.ts';
import { policyResource } from './policy/policy-resource.ts';
import { typeSchemaResource, typesResource } from './schema/schema-resource.ts';
import { MANAGED_USES } from './script-uses.ts';
import { searchResource } from './search/search-resource.ts';
import { noSynchronizer } from './synchronizer.ts';

/** `/managed`, `/policy`, `/repo` and `/internal`: types, policies and predefined queries follow their files. */
export function managedFeature(platform: Platform): Feature {
  const { database, config, crypto, observe, router, scripts, scriptFiles } = platform;
  const types = new ManagedTypes();
  const readTypes = () => types.replace(writtenJson(config.get(managedConfig).objects));
  readTypes();
  config.watchOnly(managedConfig, readTypes);
  config.addPlanner(managedConfig, {
    effectsOf: ({ current }) => planTypes({ database, config }, types.current(), current),
  });
  // A node may start without types, and not lose them.
  config.addCheck(managedConfig, (value) => void requireTypes(value));

  let queries = compileQueries(config.get(repoConfig).queries);
  config.watchOnly(repoConfig, () => {
    queries = compileQueries(config.get(repoConfig).queries);
  });

  const readPolicies = () => new PolicyBook(types, config.get(policyConfig));
  let policies = readPolicies();
  config.watchOnly(policyConfig, () => {
    policies = readPolicies();
  });

  const managed = {
    database,
    scripts: hookScripts(scripts),
    readScript: async (path: string) => (await scriptFiles.get(path)).text,
    crypto,
    types,
    queries: () => queries,
    policies: () => policies,
    enforcesPolicies: () => config.properties.get('svc.policy.enforcement.enabled') !== 'false',
    resources: router,
    synchronizer: noSynchronizer(() => mappingNames(config)),
    observe,
  };
  return {
    scriptUses: MANAGED_USES,
    resources: {
      'managed*': managedObjectResource(managed),
      'policy*': policyResource(managed),
      search: searchResource(managed),
      schema: typesResource(managed),
      'schema/managed*': typeSchemaResource(managed),
      'repo*': policeRawObjects(
        managed,
        repoResource(database, {
          queries: () => queries,
          privates: (path) => types.at(formatPath(path))?.privates ?? new Set(),
          declared: (path) => namesOf(types.at(formatPath(path))?.compiled),
        }),
      ),
      'internal/role*': internalObjects(router),
      'internal/user*': internalObjects(router),
    },
    node() {
      const wanted = () => wantedIndexes(types.current().values(), queries);
      const indexes = new IndexKeeper({ database, wanted, observe });
      config.watch(() => indexes.wake());
      return { services: [indexes] };
    },
  };
}

/** A type without properties says nothing about its objects. */
function namesOf(properties: ReadonlyMap<string, unknown> = new Map()): readonly string[] | undefined {
  return properties.size === 0 ? undefined : [...properties.keys()];
}

/** Of `sync.json`, which nothing else reads. */
function mappingNames(config: ConfigStore): readonly string[] {
  const sync = config.findRaw('sync');
  const mappings = isObject(sync) ? sync['mappings'] : undefined;
  if (!Array.isArray(mappings)) return [];
  return mappings.flatMap((mapping) =>
    isObject(mapping) && typeof mapping['name'] === 'string' ? [mapping['name']] : [],
  );
}
