import type { ModdleElement } from 'bpmn-moddle';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { ProcessDefinition } from '../definition.ts';
import { type CompileOptions, Findings } from './findings.ts';
import { computeJoinReach } from './join-reach.ts';
import { lintFlows } from './lint-flows.ts';
import { lintNodes } from './lint-nodes.ts';
import { attribute, children, documentationOf, vendorAttribute } from './model-element.ts';
import { type ProcessFile, readProcessFile } from './process-file.ts';
import { ProcessFileError } from './process-file-error.ts';
import { readExecutionListeners } from './read-listener.ts';
import { readElements } from './read-process.ts';
import { splitList, withoutAbsent } from './read-user-task.ts';

/**
 * Compiles the executable processes of a BPMN file; `isExecutable` is true when it is not written.
 *
 * @throws BadRequestError `WORKFLOW_BAD_XML` when it is not readable BPMN, ProcessFileError with everything
 *   that cannot run
 */
export async function compile(
  xml: string,
  options: CompileOptions = {},
): Promise<readonly [ProcessDefinition, ...ProcessDefinition[]]> {
  const findings = new Findings(options);
  const file = await readProcessFile(xml, findings);
  const wanted = selectProcesses(file, options.key, findings);
  const [first, ...others] = wanted.map((process) => compileProcess(process, file, findings.forProcess()));
  if (findings.refusals.length > 0 && options.isDeployed !== true)
    throw new ProcessFileError(findings.refusals);
  return [first!, ...others];
}

/** An empty process is none: drawings hold them for pools that are not described further. */
function selectProcesses(file: ProcessFile, key: string | undefined, findings: Findings): ModdleElement[] {
  const executable = file.processes.filter(
    (process) => process['isExecutable'] !== false && children(process, 'flowElements').length > 0,
  );
  const wanted = key === undefined ? executable : executable.filter((process) => file.id(process) === key);
  if (wanted.length > 0) return wanted;
  if (findings.refusals.length > 0) throw new ProcessFileError(findings.refusals);
  if (key === undefined) {
    throw new BadRequestError('The process file holds no executable process', { id: 'WORKFLOW_NO_PROCESS' });
  }
  const hint = didYouMean(key, executable.map(file.id));
  throw new BadRequestError(`The process file holds no executable process '${key}'`, {
    id: 'WORKFLOW_NO_PROCESS',
    ...(hint === undefined ? {} : { hint }),
  });
}

function compileProcess(process: ModdleElement, file: ProcessFile, findings: Findings): ProcessDefinition {
  const key = file.id(process);
  const elements = readElements(process, file, findings);
  lintNodes(key, elements, findings);
  lintFlows(elements, findings);
  const definition: ProcessDefinition = {
    key,
    ...withoutAbsent({
      name: attribute(process, 'name'),
      documentation: documentationOf(process),
      category: file.category,
    }),
    candidateStarterUsers: splitList(vendorAttribute(process, 'candidateStarterUsers') ?? ''),
    candidateStarterGroups: splitList(vendorAttribute(process, 'candidateStarterGroups') ?? ''),
    body: elements.body,
    nodes: elements.nodes,
    flows: elements.flows,
    listeners: readExecutionListeners(process, key, findings),
    joinReach: computeJoinReach(elements.nodes, elements.flows),
    warnings: findings.warnings,
  };
  for (const node of elements.nodes.values()) freeze(node);
  for (const flow of elements.flows.values()) freeze(flow);
  return Object.freeze(definition);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
