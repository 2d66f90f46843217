import { ResourceError } from '#errors/index.ts';
import type { Scripts } from '#script/index.ts';
import type { Finding, ProcessDefinition, Script } from '../engine/index.ts';
import { scriptReference } from '../script/script-calls.ts';

export interface CheckedScripts {
  /** They fail when they are reached. */
  readonly mistakes: readonly Finding[];
  /** What is doubtful in scripts that run, such as an import of nothing. */
  readonly doubts: readonly Finding[];
}

/** What is to be said about all scripts of a process: those of tasks, listeners and conditions. */
export async function checkScripts(
  scripts: Pick<Scripts, 'compile'>,
  process: ProcessDefinition,
): Promise<CheckedScripts> {
  const mistakes: Finding[] = [];
  const doubts: Finding[] = [];
  for (const { element, script } of scriptsOf(process)) {
    try {
      for (const warning of await scripts.compile(scriptReference(script.format, script.source))) {
        doubts.push({ id: 'WORKFLOW_SCRIPT_DOUBT', element, message: `holds a script: ${warning}` });
      }
    } catch (error) {
      // Anything else is no mistake of the script.
      if (!(error instanceof ResourceError) || (error.code !== 400 && error.code !== 501)) throw error;
      const message = `holds a script with a mistake: ${mistakeOf(error)}`;
      const hint = 'It fails when it is reached; with scripts.strict in workflow.json such a file is refused';
      mistakes.push({ id: 'WORKFLOW_BAD_SCRIPT', element, message, hint });
    }
  }
  return { mistakes, doubts };
}

/** The mistake in the compiler's own words, with the line in the script: what stands around it is another file. */
function mistakeOf({ cause, message }: ResourceError): string {
  const { line, message: said }: { readonly line?: unknown; readonly message?: string } =
    typeof cause === 'object' && cause !== null ? cause : {};
  if (typeof line !== 'number' || said === undefined || /\bline \d/.test(said)) return message;
  return `${said} (line ${line} of the script)`;
}

interface FoundScript {
  readonly element: string;
  readonly script: Script;
}

function scriptsOf({ key, nodes, flows, listeners }: ProcessDefinition): FoundScript[] {
  const found: FoundScript[] = [];
  const add = (element: string, candidate: unknown) => {
    for (const script of findScripts(candidate)) found.push({ element, script });
  };
  add(key, listeners);
  for (const node of nodes.values()) {
    // What stands inside a sub-process is among the nodes itself.
    add(node.id, { ...node, body: undefined });
  }
  for (const flow of flows.values()) add(flow.id, flow);
  return found;
}

/** Whatever has a format and a source is a script, however deep it stands. */
function findScripts(value: unknown): Script[] {
  if (typeof value !== 'object' || value === null) return [];
  const { format, source }: Partial<Record<keyof Script, unknown>> = value;
  if (typeof format === 'string' && typeof source === 'string') return [{ format, source }];
  return Object.values(value).flatMap(findScripts);
}
