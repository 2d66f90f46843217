import { join, relative } from 'node:path';
import { type ConfigStore, requireOwnProcesses, workflowConfig } from '#config/index.ts';
import type { Finding } from '#errors/index.ts';
import type { Inspection } from '#platform/index.ts';
import { ScriptInspector } from '#script/index.ts';
import { noDelegates } from './delegate/project-delegates.ts';
import { inspectProcessFiles } from './deployment/inspect-files.ts';
import { findOpenSteps } from './deployment/open-steps.ts';
import { requireEngine, workflowDirectory } from './workflow-settings.ts';

/** `workflow.json`. */
export function checkWorkflow({ config }: Inspection): void {
  config.addCheck(workflowConfig, (value) => void requireOwnProcesses(value, config.locations));
}

/** The process files that a node would deploy: what it would refuse, and what it would warn of. */
export async function findProcessMistakes(
  config: ConfigStore,
  projectLocation: string,
): Promise<{ readonly mistakes: readonly Finding[]; readonly warnings: readonly Finding[] }> {
  const declared = config.get(workflowConfig);
  const directory = workflowDirectory(declared, projectLocation);
  if (directory === undefined) return { mistakes: [], warnings: [] };
  const files = await inspectProcessFiles(directory, {
    scripts: new ScriptInspector(config, projectLocation),
    delegates: noDelegates,
    settings: () => requireEngine(declared),
  });
  const inProject = relative(projectLocation, directory);
  const shown = inProject.startsWith('..') ? directory : inProject;
  const toFinding =
    (name: string) =>
    ({
      id,
      element,
      message,
      hint,
      line = 1,
      column = 1,
    }: (typeof files)[number]['refusals'][number]): Finding => ({
      id,
      where: `${join(shown, name)}:${line}:${column}`,
      message: element === '' ? message : `'${element}' ${message}`,
      ...(hint === undefined ? {} : { hint }),
    });
  return {
    mistakes: files.flatMap(({ name, refusals }) => refusals.map(toFinding(name))),
    warnings: files.flatMap(({ name, warnings }) => warnings.map(toFinding(name))),
  };
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
