import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { BadRequestError } from '#errors/index.ts';
import type { ScriptConfig } from './definitions/script-schema.ts';
import type { WorkflowConfig } from './definitions/workflow-schema.ts';
import type { Locations } from './property-source.ts';

/** Whether a path is a folder, or lies below it, as both are written. */
export function isBelow(folder: string, path: string): boolean {
  const root = resolve(folder);
  const file = resolve(path);
  return file === root || file.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The same of what links on the way lead to. What is not there yet counts as its nearest folder that is. */
export function isReallyBelow(folder: string, path: string): boolean {
  return isBelow(realPath(resolve(folder)), realPath(resolve(path)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : `${realPath(parent)}${sep}${path.slice(parent.length + 1)}`;
  }
}

/** @throws BadRequestError `CONFIG_FOLDER_OUTSIDE` for a source of scripts that is neither the project's nor ours */
export function requireOwnSources({ sources }: ScriptConfig, locations: Locations): void {
  for (const [name, { directory }] of Object.entries(sources)) {
    requireOwnFolder(directory, `/sources/${name}/directory`, locations);
  }
}

/** @throws BadRequestError `CONFIG_FOLDER_OUTSIDE` for process files from elsewhere */
export function requireOwnProcesses({ workflowDirectory }: WorkflowConfig, locations: Locations): void {
  const directory = resolve(locations.projectLocation, workflowDirectory);
  requireOwnFolder(directory, '/workflowDirectory', locations);
}

/**
 * Whoever may change configuration should not thereby read what else is on the machine. As it is written, because a link
 * in the project is the operator's.
 */
function requireOwnFolder(directory: string, field: string, locations: Locations): void {
  const { projectLocation, installLocation } = locations;
  if ([projectLocation, installLocation].some((location) => isBelow(location, directory))) return;
  throw new BadRequestError(`'${directory}' lies outside of the project and of the installation`, {
    id: 'CONFIG_FOLDER_OUTSIDE',
    field,
    hint: 'Such as &{launcher.project.location}/script; what has to lie elsewhere is linked into the project',
  });
}
