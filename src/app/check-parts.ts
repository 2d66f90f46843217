import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuthenticationConfig,
  authenticationConfig,
  type ConfigStore,
  isModuleFile,
  type ManagedConfig,
  managedConfig,
  policyConfig,
  repoConfig,
  requireOwnProcesses,
  requireOwnSources,
  scheduleConfig,
  scriptConfig,
  workflowConfig,
} from '#config/index.ts';
import { ActivationError, BadRequestError, type Finding } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { ManagedTypes, PolicyBook, type PolicySettings } from '#managed/index.ts';
import { compileQueries } from '#repo/index.ts';
import { parseSchedule, scriptScheduledService, shortServiceName } from '#scheduler/index.ts';
import { findSyntaxError, noScripts } from '#script/index.ts';
import { buildModules, type ModuleParts, readSessionSettings } from '#security/index.ts';
import { parseScanDefinition } from '#taskscanner/index.ts';
import { findOpenSteps, workflowDirectory } from '#workflow/index.ts';

export const ACCESS_FILE = 'script/access.js';
const SCRIPT = scriptScheduledService(noScripts);

export interface PartsCheck {
  /** Beyond the schemas, what keeps a node from starting. */
  readonly mistakes: readonly Finding[];
  /** What would only show when it is used: a sentence each. None are looked for where there are mistakes. */
  readonly doubts: readonly string[];
}

/** What the parts of a node make of their files, before it starts. */
export function checkParts(config: ConfigStore, projectLocation: string): PartsCheck {
  const types = new ManagedTypes();
  const mistakesOf = mistakesIn(config);
  const mistakes = [
    ...mistakesOf('managed', () =>
      types.replace(config.get(managedConfig).objects as unknown as JsonObject[]),
    ),
    ...mistakesOf('policy', () => policyBook(types, config)),
    ...mistakesOf('script', () => requireOwnSources(config.get(scriptConfig), config.locations)),
    ...mistakesOf('workflow', () => requireOwnProcesses(config.get(workflowConfig), config.locations)),
    ...mistakesOf('repo', () => compileQueries(config.get(repoConfig).queries)),
    // Building a module asks nothing of its parts; only logins do.
    ...mistakesOf('authentication', () => buildModules(config.get(authenticationConfig), {} as ModuleParts)),
    ...mistakesOf('authentication', () => requireModule(config.get(authenticationConfig))),
    ...mistakesOf('authentication', () => readSessionSettings(config.get(authenticationConfig))),
  ];
  if (mistakes.length > 0) return { mistakes, doubts: [] };
  const doubts = [
    ...withoutTypes(config),
    ...unknownPolicies(policyBook(types, config)),
    ...unservedSchedules(config, join(projectLocation, 'service')),
  ];
  return { mistakes, doubts };
}

/** Processes in which callers write what no form gives to them. */
export async function findOpenProcesses(
  config: ConfigStore,
  projectLocation: string,
): Promise<readonly string[]> {
  const settings = config.get(workflowConfig);
  const directory = workflowDirectory(settings, projectLocation);
  return directory === undefined ? [] : findOpenSteps(directory, settings.forms.acceptAny);
}

/** Schedules that a node would leave out. */
export function findScheduleMistakes(config: ConfigStore): readonly Finding[] {
  return config.list(scheduleConfig).flatMap(({ alias, value }) =>
    mistakesIn(config)(`schedule/${alias}`, () => {
      const content = value as unknown as JsonObject;
      const { invokeService, invokeContext } = parseSchedule(content, { persisted: false });
      const service = shortServiceName(invokeService);
      if (service === SCRIPT.invokeService) SCRIPT.check?.(invokeContext);
      if (service === 'taskscanner') parseScanDefinition(invokeContext);
    }),
  );
}

/** A `script/access.js` with which nobody but administrators may do anything. */
export function findAccessMistakes(projectLocation: string): readonly Finding[] {
  const source = textOf(join(projectLocation, ACCESS_FILE));
  const error = source === undefined ? undefined : findSyntaxError({ name: ACCESS_FILE, source });
  if (error === undefined) return [];
  const { line, column, message } = error;
  return [{ id: 'ACCESS_NOT_COMPILED', where: `${ACCESS_FILE}:${line}:${column}`, message }];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Who has only schedules or processes may mean it. */
function withoutTypes(config: ConfigStore): readonly string[] {
  if (config.get(managedConfig).objects.length > 0) return [];
  return ['conf/managed.json declares no managed type: /managed has nothing to offer'];
}

function unknownPolicies(book: PolicyBook): readonly string[] {
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
    return readdirSync(directory).some(isModuleFile);
  } catch {
    return false;
  }
}

function policyBook(types: ManagedTypes, config: ConfigStore): PolicyBook {
  return new PolicyBook(types, config.get(policyConfig) as unknown as PolicySettings);
}

function mistakesIn(config: ConfigStore) {
  return (id: string, read: () => unknown): readonly Finding[] => {
    try {
      read();
      return [];
    } catch (error) {
      return error instanceof ActivationError ? error.findings : config.blame(id, error);
    }
  };
}

/** @throws BadRequestError when the objects of a running server could no longer be reached */
export function requireTypes({ objects }: ManagedConfig): void {
  if (objects.length > 0) return;
  throw new BadRequestError('It declares no managed type, so no object could be reached any more', {
    id: 'MANAGED_NO_TYPE',
    field: '/objects',
  });
}

/** @throws BadRequestError when nobody could log in any more */
export function requireModule({ serverAuthContext }: AuthenticationConfig): void {
  if (serverAuthContext.authModules.some(({ enabled }) => enabled)) return;
  throw new BadRequestError('No authentication module is enabled, so nobody could log in', {
    id: 'AUTHENTICATION_NO_MODULE',
    field: '/serverAuthContext/authModules',
  });
}
