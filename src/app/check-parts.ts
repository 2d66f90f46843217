import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  authenticationConfig,
  type ConfigStore,
  managedConfig,
  policyConfig,
  repoConfig,
  scheduleConfig,
} from '#config/index.ts';
import { ActivationError, type Finding } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { ManagedTypes, PolicyBook, type PolicySettings } from '#managed/index.ts';
import { compileQueries } from '#repo/index.ts';
import { parseSchedule, shortServiceName } from '#scheduler/index.ts';
import { buildModules, type ModuleParts, readSessionSettings } from '#security/index.ts';

/** Beyond the schemas, what keeps a node from starting. */
export function findPartMistakes(config: ConfigStore): readonly Finding[] {
  const types = new ManagedTypes();
  return [
    ...mistakesOf('managed', () =>
      types.replace(config.get(managedConfig).objects as unknown as JsonObject[]),
    ),
    ...mistakesOf('policy', () => new PolicyBook(types, policySettings(config))),
    ...mistakesOf('repo', () => compileQueries(config.get(repoConfig).queries)),
    // Building a module asks nothing of its parts; only logins do.
    ...mistakesOf('authentication', () => buildModules(config.get(authenticationConfig), {} as ModuleParts)),
    ...mistakesOf('authentication', () => readSessionSettings(config.get(authenticationConfig))),
  ];
}

/** Schedules that a node would leave out. */
export function findScheduleMistakes(config: ConfigStore): readonly Finding[] {
  return config
    .list(scheduleConfig)
    .flatMap(({ alias, value }) =>
      mistakesOf(`schedule-${alias}`, () =>
        parseSchedule(value as unknown as JsonObject, { persisted: false }),
      ),
    );
}

/** What would only show when it is used: a sentence each. */
export function findDoubts(config: ConfigStore, projectLocation: string): readonly string[] {
  return [...unknownPolicies(config), ...unservedSchedules(config, join(projectLocation, 'service'))];
}

function unknownPolicies(config: ConfigStore): readonly string[] {
  const types = new ManagedTypes();
  types.replace(config.get(managedConfig).objects as unknown as JsonObject[]);
  const book = new PolicyBook(types, policySettings(config));
  // Which policies a file declares is known when it has run.
  if (book.files.length > 0) return [];
  return book.undeclared().map(({ policyId, property }) => {
    return `${property} has the policy '${policyId}', which there is not: writes will fail. Declare it with addPolicy in a file of "additionalFiles" in policy.json`;
  });
}

const BUILT_IN: ReadonlySet<string> = new Set(['script', 'taskscanner']);
const UNCONFIGURED: ReadonlySet<string> = new Set(['sync', 'provisioner']);

function unservedSchedules(config: ConfigStore, serviceDirectory: string): readonly string[] {
  const hasOwnServices = modulesIn(serviceDirectory);
  return config.list(scheduleConfig).flatMap(({ alias, value }) => {
    const name = shortServiceName(value.invokeService);
    if (!value.enabled || BUILT_IN.has(name) || (!UNCONFIGURED.has(name) && hasOwnServices)) return [];
    const why = UNCONFIGURED.has(name)
      ? 'there is no synchronisation with other systems yet'
      : 'service/ has no module that offers it';
    return [`conf/schedule-${alias}.json invokes '${name}', and every run will fail: ${why}`];
  });
}

function modulesIn(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => /\.(?:[cm]?js|ts)$/.test(name));
  } catch {
    return false;
  }
}

function policySettings(config: ConfigStore): PolicySettings {
  return config.get(policyConfig) as unknown as PolicySettings;
}

function mistakesOf(name: string, read: () => unknown): readonly Finding[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ActivationError) return error.findings;
    const message = error instanceof Error ? error.message : String(error);
    return [{ id: 'CONFIG_REFUSED', where: `conf/${name}.json:1:1`, message }];
  }
}
