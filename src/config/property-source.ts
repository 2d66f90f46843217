import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import {
  type Compat,
  compatFindings,
  compatOf,
  namesOf,
  type RoleNames,
  roleFindings,
  roleNamesOf,
} from './compat.ts';
import { parseJavaProperties } from './java-properties.ts';
import { holdsSecret, isSecretVariable } from './secret-variables.ts';
import type { Environment, Settings } from './settings.ts';

/** Where `&{name}` and `identityServer.getProperty` look. */
export interface PropertySource {
  get(name: string): JsonValue | undefined;
  /** What to do about a name without a value, where that can be said. */
  hintFor?(name: string): string | undefined;
}

/** The properties as scripts see them: without those that are secrets by their names. */
export interface Properties extends PropertySource {
  /** As `&{…}` in configuration sees them, secrets included. */
  readonly ofFiles: PropertySource;
  /** Undefined unless names of another server are understood, too. */
  readonly compat: Compat | undefined;
  readonly roles: RoleNames;
}

export type Locations = Pick<Settings, 'installLocation' | 'projectLocation' | 'workingLocation'>;

export interface PropertyOptions {
  /** The environment with the flags laid over it. */
  readonly environment: Environment;
  readonly settings: Locations & Pick<Settings, 'nodeId'> & Partial<Pick<Settings, 'exposedVariables'>>;
}

/** What a boot property is when nobody sets it. */
const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ['svc.scheduler.execute.persistent.schedules', 'true'],
  ['svc.taskscanner.maxcompletedruns', '100'],
  ['svc.policy.enforcement.enabled', 'true'],
  ['svc.config.crypto.alias', 'svc-sym-default'],
  ['svc.fileinstall.enabled', 'true'],
  ['svc.fileinstall.poll', '2000'],
  ['svc.role.admin', 'svc-admin'],
  ['svc.role.authorized', 'svc-authorized'],
  ['svc.role.reg', 'svc-reg'],
  ['svc.role.cert', 'svc-cert'],
  ['svc.role.tasks-manager', 'svc-tasks-manager'],
  ['javascript.exception.debug.info', 'false'],
]);

/**
 * The layers in order: environment (`svc.node.id` is `SVC_NODE_ID` there), `system.properties`, `boot.properties`,
 * `config.properties`, launcher properties, built-in values. Of the environment only what is meant for configuration: our
 * own variables, those that a file of properties declares, and those that `SVC_EXPOSED_ENV` lists; of our own secrets none.
 */
export async function openProperties(
  options: PropertyOptions,
): Promise<{ properties: Properties; findings: readonly Finding[] }> {
  const { environment, settings } = options;
  const files = await Promise.all(placesOfFiles(environment).map((place) => readProperties(place, settings)));
  const launcher = launcherProperties(settings);
  const declared = (name: string) =>
    files.find(({ entries }) => saysOf(entries, name))?.entries.get(name) ?? launcher.get(name);
  const byDefault = (name: string) => (name === 'svc.node.id' ? settings.nodeId : BUILT_IN.get(name));
  const isExposed = (variable: string) =>
    variable.startsWith('SVC_') ||
    (settings.exposedVariables ?? []).some((entry) => matches(entry, variable));
  const said = (name: string) => {
    const value = declared(name);
    const isOpen = (value ?? byDefault(name)) !== undefined || isExposed(variableOf(name));
    return (isOpen ? fromEnvironment(environment, name) : undefined) ?? value;
  };
  let compat: Compat | undefined;
  const find = (name: string) => {
    const names = namesOf(name, compat !== undefined);
    return names.map(said).find(isThere) ?? names.map(byDefault).find(isThere);
  };
  // Nothing of this changes while the server runs, and requests ask for some of it.
  const found = new Map<string, string>();
  const get = (name: string) => {
    const value = found.get(name) ?? find(name);
    if (value !== undefined) found.set(name, value);
    return value;
  };
  const hintFor = (name: string) =>
    fromEnvironment(environment, name) === undefined || get(name) !== undefined
      ? undefined
      : `${variableOf(name)} of the environment is not shown to configuration: name it in SVC_EXPOSED_ENV, or declare ${name} in conf/boot/boot.properties`;
  const ofFiles: PropertySource = { get, hintFor };
  const wrong = compatFindings(ofFiles);
  compat = compatOf(ofFiles);
  // What was found for that is found anew by all of its names.
  found.clear();
  const isSecret = (name: string) =>
    namesOf(name, compat !== undefined).some((each) => holdsSecret(variableOf(each)));
  const properties: Properties = {
    get: (name) => (isSecret(name) ? undefined : get(name)),
    ofFiles,
    compat,
    roles: roleNamesOf(ofFiles),
  };
  return {
    properties,
    findings: [...files.flatMap(({ findings }) => findings), ...wrong, ...roleFindings(ofFiles)],
  };
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** A star does not reach what is a secret by its name. */
function matches(entry: string, variable: string): boolean {
  if (!entry.endsWith('*')) return entry.toUpperCase() === variable;
  return variable.startsWith(entry.slice(0, -1).toUpperCase()) && !holdsSecret(variable);
}

/** A property that refers to itself says that another layer is to say it. */
function saysOf(entries: ReadonlyMap<string, string>, name: string): boolean {
  return entries.has(name) && entries.get(name)!.trim() !== `&{${name}}`;
}

/** The environment variable that overrides a property. */
export function variableOf(propertyName: string): string {
  return propertyName.replace(/[.-]/g, '_').toUpperCase();
}

function fromEnvironment(environment: Environment, name: string): string | undefined {
  const variable = variableOf(name);
  return isSecretVariable(variable) || !Object.hasOwn(environment, variable)
    ? undefined
    : environment[variable];
}

/** What newer servers of the field call their places. */
const NEWER_NAMES = {
  install: 'idm.install.dir',
  project: 'idm.instance.dir',
  working: 'idm.data.dir',
} as const;

function launcherProperties(locations: Locations): ReadonlyMap<string, string> {
  const entries = (
    [
      ['install', locations.installLocation],
      ['project', locations.projectLocation],
      ['working', locations.workingLocation],
    ] as const
  ).flatMap(([name, location]): [string, string][] => [
    [`launcher.${name}.location`, location],
    [`launcher.${name}.url`, pathToFileURL(`${location}/`).href],
    [NEWER_NAMES[name], location],
  ]);
  return new Map(entries);
}

/** `svc.boot.file` names another place of `boot.properties`. The files beside it are those of the field, older and newer. */
function placesOfFiles(environment: Environment): string[] {
  const boot = fromEnvironment(environment, 'svc.boot.file') ?? 'conf/boot/boot.properties';
  return ['conf/system.properties', boot, 'resolver/boot.properties', 'conf/config.properties'];
}

/** The project's file, else the installation's. */
async function readProperties(place: string, locations: Locations) {
  for (const location of new Set([locations.projectLocation, locations.installLocation])) {
    const file = resolve(location, place);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const { entries, problems } = parseJavaProperties(text);
    const shown = location === locations.projectLocation ? place : file;
    const findings = problems.map(
      ({ line, message }): Finding => ({ id: 'CONFIG_BAD_PROPERTIES', where: `${shown}:${line}:1`, message }),
    );
    return { entries, findings };
  }
  return { entries: new Map<string, string>(), findings: [] };
}
