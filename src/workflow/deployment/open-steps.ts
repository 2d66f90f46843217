import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { didYouMean, ResourceError, systemCodeOf } from '#errors/index.ts';
import { compile, type ProcessDefinition } from '../engine/index.ts';
import { takesAnything } from '../form/index.ts';
import { isDeployable, readResources } from './deployment-file.ts';

/**
 * Where callers may write variables of which no form says that they may: a sentence for each process file, and for each
 * process that is said to accept anything. Files that cannot be read are for their deployment to tell of.
 */
export async function findOpenSteps(directory: string, acceptAny: ReadonlySet<string>): Promise<string[]> {
  const said: string[] = [];
  const keys: string[] = [];
  for (const file of (await namesIn(directory)).filter(isDeployable).sort()) {
    for (const process of await readProcesses(directory, file)) {
      keys.push(process.key);
      const open = openSteps(process);
      if (open.length === 0 || acceptAny.has(process.key)) continue;
      said.push(
        `${file}: callers write what they like at ${open.join(', ')} of the process '${process.key}', because no form properties say what may be written`,
      );
    }
  }
  return [...said, ...[...acceptAny].map((key) => sayAcceptsAny(key, keys))];
}

function sayAcceptsAny(key: string, keys: readonly string[]): string {
  if (keys.includes(key))
    return `workflow.json: forms.acceptAny lets callers write any variable of the process '${key}'`;
  const hint = didYouMean(key, keys);
  return `workflow.json: forms.acceptAny names '${key}', which is no process of the folder${hint === undefined ? '' : `; ${hint}`}`;
}

function openSteps(process: ProcessDefinition): string[] {
  return [...process.nodes.values()].flatMap((node) =>
    (node.kind === 'startEvent' || node.kind === 'userTask') && takesAnything(process, node)
      ? [`'${node.id}'`]
      : [],
  );
}

async function readProcesses(directory: string, file: string): Promise<readonly ProcessDefinition[]> {
  try {
    const resources = await readResources(file, await readFile(join(directory, file)));
    const found: ProcessDefinition[] = [];
    for (const [name, bytes] of resources ?? []) {
      if (/\.(?:xml|bpmn)$/i.test(name)) found.push(...(await compile(bytes.toString('utf8'))));
    }
    return found;
  } catch (error) {
    if (error instanceof ResourceError) return [];
    throw error;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // Projects without processes have no such folder.
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
