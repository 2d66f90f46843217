import { join, relative } from 'node:path';
import { type ConfigStore, workflowConfig } from '#config/index.ts';
import type { Finding } from '#errors/index.ts';
import { parseCron } from '#scheduler/index.ts';
import { ScriptInspector } from '#script/index.ts';
import {
  inspectProcessFiles,
  noDelegates,
  readWorkflowSettings,
  workflowDirectory,
} from '#workflow/index.ts';

/** The process files that a node would deploy: what it would refuse, and what it would warn of. */
export async function findProcessMistakes(
  config: ConfigStore,
  projectLocation: string,
): Promise<{ readonly mistakes: readonly Finding[]; readonly warnings: readonly Finding[] }> {
  const declared = config.get(workflowConfig);
  const directory = workflowDirectory(declared, projectLocation);
  if (directory === undefined) return { mistakes: [], warnings: [] };
  const files = await inspectProcessFiles(directory, {
    cron: { next: () => undefined, check: cronMistake },
    scripts: new ScriptInspector(config, projectLocation),
    delegates: noDelegates,
    settings: () => readWorkflowSettings(declared),
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

/** Why a text is no cron expression; undefined when it is one. */
export function cronMistake(text: string): string | undefined {
  try {
    parseCron(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
