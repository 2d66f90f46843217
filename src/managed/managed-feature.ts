import {
  type ConfigStore,
  managedConfig,
  policyConfig,
  repoConfig,
  scimConfig,
  writtenJson,
} from '#config/index.ts';
import { formatPointer, type Pointer, parsePointer } from '#json/index.ts';
import type { Feature, Platform, RequireAccount } from '#platform/index.ts';
import { compileQueries, IndexKeeper, internalObjects, repoResource, wantedIndexes } from '#repo/index.ts';
import { formatPath } from '#resource/index.ts';
import { requireTypes } from './check-managed.ts';
import { hookScripts } from './hook-scripts.ts';
import { managedObjectResource } from './managed-object-resource.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { ManagedTypes } from './managed-types.ts';
import { planTypes } from './plan/plan-types.ts';
import { policeRawObjects } from './policy/police-raw-objects.ts';
import { PolicyBook } from './policy/policy-book.ts';
import { policyResource } from './policy/policy-resource.ts';
import { uniqueIgnoringCase } from './policy/unique-policies.ts';
import { requireAccount } from './require-account.ts';
import { typeSchemaResource, typesResource } from './schema/schema-resource.ts';
import { MANAGED_USES } from './script-uses.ts';
import { searchResource } from './search/search-resource.ts';
import { roleCollections } from './steps/login-roles.ts';

export interface ManagedFeature extends Feature {
  readonly requireAccount: RequireAccount;
}

/** `/managed`, `/policy`, `/repo` and `/internal`: types, policies and predefined queries follow their files. */
export function managedFeature(
  platform: Platform,
  {
    synchronizer,
    knownRoles,
    roleGrants,
  }: Pick<ManagedPlatform, 'synchronizer' | 'knownRoles' | 'roleGrants'>,
): ManagedFeature {
  const { database, clock, config, crypto, observe, router, scripts, scriptFiles } = platform;
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
    clock,
    scripts: hookScripts(scripts),
    readScript: async (path: string) => (await scriptFiles.get(path)).text,
    crypto,
    types,
    queries: () => queries,
    policies: () => policies,
    enforcesPolicies: () => config.properties.get('svc.policy.enforcement.enabled') !== 'false',
    resources: router,
    knownRoles,
    roleGrants,
    certificateRole: () => config.properties.roles.cert,
    synchronizer,
    observe,
  };
  return {
    requireAccount: requireAccount(managed),
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
          commandLinks: (context, request) => router.handle(context, { ...request, path: ['repo', 'link'] }),
          queries: () => queries,
          privates: (path) => types.at(formatPath(path))?.privates ?? new Set(),
          declared: (path) => namesOf(types.at(formatPath(path))?.compiled),
        }),
      ),
      'internal/role*': internalObjects(router),
      'internal/user*': internalObjects(router),
    },
    node() {
      const wanted = () =>
        wantedIndexes(types.current().values(), queries, askedIgnoringCase(managed, config));
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

/** What is unique in whatever case, the names that clients of SCIM look for before they create something, and ids of roles. */
function askedIgnoringCase(
  platform: Pick<ManagedPlatform, 'roleGrants' | 'types'>,
  config: ConfigStore,
): ReadonlyMap<string, readonly Pointer[]> {
  const types = [...platform.types.current().values()];
  const roles = types
    .filter(({ name }) => roleCollections(platform).has(`managed/${name}`))
    .map(({ name }) => ({ type: name, pointer: ['_id'] }));
  const unique = types.flatMap(({ name, properties }) =>
    uniqueIgnoringCase(properties).map((property) => ({ type: name, pointer: [property] })),
  );
  const named = config.get(scimConfig).resourceTypes.flatMap(({ managed, attributes }) => {
    const type = managed.slice(managed.indexOf('/') + 1);
    return attributes.flatMap(({ caseExact = false, uniqueness = 'none', managed: property }) =>
      caseExact || uniqueness === 'none' || property === undefined
        ? []
        : [{ type, pointer: parsePointer(property) }],
    );
  });
  const asked = new Map<string, Map<string, Pointer>>();
  for (const { type, pointer } of [...roles, ...unique, ...named]) {
    const ofType = asked.get(type) ?? new Map<string, Pointer>();
    asked.set(type, ofType.set(formatPointer(pointer), pointer));
  }
  return new Map([...asked].map(([type, pointers]) => [type, [...pointers.values()]]));
}
