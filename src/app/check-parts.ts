import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { infoObjections } from '#administration/index.ts';
import {
  type AuthenticationConfig,
  authenticationConfig,
  type ConfigStore,
  endpointConfig,
  infoConfig,
  type ManagedConfig,
  managedConfig,
  type Objection,
  policyConfig,
  repoConfig,
  requireOwnProcesses,
  requireOwnSources,
  routerConfig,
  scheduleConfig,
  scriptConfig,
  workflowConfig,
} from '#config/index.ts';
import { BadRequestError, type Finding } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { findTypeMistakes, ManagedTypes, PolicyBook, type PolicySettings } from '#managed/index.ts';
import { compileQueries } from '#repo/index.ts';
import { parseSchedule, scriptScheduledService, shortServiceName } from '#scheduler/index.ts';
import { FIELD_SCRIPT, findSyntaxError, noScripts, ScriptInspector } from '#script/index.ts';
import {
  absentModule,
  buildModules,
  type ModuleParts,
  moduleDoubts,
  readSessionSettings,
} from '#security/index.ts';
import { parseScanDefinition } from '#taskscanner/index.ts';
import { findOpenSteps, workflowDirectory } from '#workflow/index.ts';
import { findMissingService } from './missing-service.ts';
import { scriptPlaces } from './script-places.ts';

export const ACCESS_FILE = 'script/access.js';
const SCRIPT = scriptScheduledService(noScripts);

/**
 * Tells the configuration what the parts of a node make of their files. The same is asked at the start, of each change,
 * and by `svc config-check`, so that they cannot disagree.
 */
export function addChecks(config: ConfigStore, projectLocation: string): void {
  const inspector = new ScriptInspector(config, projectLocation);
  const scriptsOf = async (value: unknown, id: string): Promise<readonly Objection[]> => {
    const places = scriptPlaces(id, value);
    const faults = await Promise.all(
      places.map(async ({ field, reference }) =>
        (await inspector.inspect(reference)).map((fault) => ({ ...fault, field: `${field}${fault.field}` })),
      ),
    );
    return faults.flat();
  };
  config.addCheck(managedConfig, async (value, id) => [
    ...withoutTypes(value.objects),
    ...findTypeMistakes(value.objects as unknown as JsonValue),
    ...(await scriptsOf(value, id)).map((fault) =>
      /\/actions\//.test(fault.field) ? asField(fault) : fault,
    ),
  ]);
  config.addCheck(managedConfig, (value) => unknownPolicies(value.objects, config.get(policyConfig)));
  config.addCheck(policyConfig, (value) => unknownPolicies(config.get(managedConfig).objects, value));
  config.addCheck(policyConfig, async ({ additionalFiles }) => {
    const faults = additionalFiles.map(async (file, index) =>
      (await inspector.inspectFile(file)).map((fault) => ({ ...fault, field: `/additionalFiles/${index}` })),
    );
    return (await Promise.all(faults)).flat();
  });
  config.addCheck(scriptConfig, (value) => void requireOwnSources(value, config.locations));
  config.addCheck(workflowConfig, (value) => void requireOwnProcesses(value, config.locations));
  config.addCheck(repoConfig, (value) => void compileQueries(value.queries));
  // Building a module asks nothing of its parts; only logins do.
  config.addCheck(authenticationConfig, (value) => void buildModules(value, {} as ModuleParts));
  config.addCheck(authenticationConfig, (value) => void requireModule(value));
  config.addCheck(authenticationConfig, moduleDoubts);
  config.addCheck(authenticationConfig, scriptsOf);
  config.addCheck(authenticationConfig, (value) => void readSessionSettings(value));
  config.addCheck(endpointConfig, async (value, id) => (await scriptsOf(value, id)).map(asField));
  config.addCheck(infoConfig, infoObjections);
  config.addCheck(routerConfig, scriptsOf);
  config.addCheck(scheduleConfig, async (value, id) => {
    const faults = await scriptsOf(value, id);
    return isOff(value) ? faults.map((fault) => ({ ...fault, isWarning: true })) : faults;
  });
  config.addCheck(scheduleConfig, (value) => {
    parseSchedule(value as unknown as JsonObject, { persisted: false });
  });
  config.addCheck(scheduleConfig, (value) => serviceObjections(value, join(projectLocation, 'service')));
}

/** An endpoint or an action of the field that cannot be here is a 501, and keeps nothing else from working. */
function asField(fault: Objection): Objection {
  return fault.id === FIELD_SCRIPT ? { ...fault, isWarning: true } : fault;
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
function withoutTypes(objects: unknown): readonly Objection[] {
  if (!Array.isArray(objects) || objects.length > 0) return [];
  const message = 'it declares no managed type: /managed has nothing to offer';
  return [{ id: 'MANAGED_NO_TYPE', field: '', message, isWarning: true }];
}

function unknownPolicies(objects: ManagedConfig['objects'], settings: unknown): readonly Objection[] {
  const types = new ManagedTypes();
  try {
    types.replace(objects as unknown as JsonObject[]);
  } catch {
    // What is wrong with the types is told of them.
    return [];
  }
  const book = new PolicyBook(types, settings as PolicySettings);
  // Which policies a file declares is known when it has run.
  if (book.files.length > 0) return [];
  return book.undeclared().map(({ policyId, property }) => ({
    id: 'POLICY_UNKNOWN',
    field: '',
    message: `${property} has the policy '${policyId}', which there is not: writes will fail`,
    hint: 'Declare it with addPolicy in a file of "additionalFiles" in policy.json',
    isWarning: true,
  }));
}

interface Invocation {
  readonly enabled: unknown;
  readonly invokeService: string;
  readonly invokeContext: JsonValue;
}

/** What the invoked service says; of a schedule that is disabled nothing is more than a warning. */
function serviceObjections(
  { enabled, invokeService, invokeContext }: Invocation,
  serviceDirectory: string,
): readonly Objection[] {
  const disabled = isOff({ enabled });
  const name = shortServiceName(invokeService);
  try {
    if (name === SCRIPT.invokeService) SCRIPT.check?.(invokeContext);
    if (name === 'taskscanner') parseScanDefinition(invokeContext);
  } catch (error) {
    if (!disabled || !(error instanceof BadRequestError)) throw error;
    return [{ id: 'SCHED_INVALID', field: '', message: error.message, isWarning: true }];
  }
  const missing = findMissingService(invokeService, serviceDirectory);
  if (missing === undefined) return [];
  const { why, hint } = missing;
  return [
    {
      id: 'SCHED_NO_SERVICE',
      field: '/invokeService',
      message: `it invokes '${name}', ${disabled ? 'and is disabled' : 'and every run will fail'}: ${why}`,
      ...(hint === undefined ? {} : { hint }),
      isWarning: true,
    },
  ];
}

function isOff({ enabled }: { readonly enabled: unknown }): boolean {
  return String(enabled) === 'false';
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
  if (serverAuthContext.authModules.some((module) => module.enabled && absentModule(module) === undefined))
    return;
  throw new BadRequestError('No authentication module is enabled, so nobody could log in', {
    id: 'AUTHENTICATION_NO_MODULE',
    field: '/serverAuthContext/authModules',
  });
}
