import type { JsonObject, JsonValue } from '#json/index.ts';
import { bodyOf, type Context, namesOf, readerOf, textMember } from '#resource/index.ts';
import { compareProcesses } from '../deployment/compare-processes.ts';
import type { ProcessDefinition } from '../engine/index.ts';
import { readMembers, readVersions } from '../instance/migration-target.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** Which version another one is compared with. */
export const COMPARISON = bodyOf({ to: textMember('The other version, older or newer') }, 'to');

const CHANGES = ['removed', 'changed', 'added'] as const;

/**
 * What another version of a process has otherwise than this one, element by element.
 *
 * @param body `{to}`, the id of the other version, which may be older or newer
 */
export async function compareDefinitions(
  platform: WorkflowPlatform,
  context: Context,
  from: string,
  body: JsonValue,
): Promise<JsonObject> {
  const { to } = readMembers(body, namesOf(COMPARISON));
  const db = await readerOf(platform, context);
  const { source, target } = await readVersions(platform, db, from, { to, field: 'to', mapping: null });
  const compared = compareProcesses(source.process, target.process);
  return {
    from,
    to: target.row.id,
    elements: CHANGES.flatMap((change) =>
      compared[change].map((element) => ({
        element,
        change,
        ...describe(change === 'removed' ? source.process : target.process, element),
      })),
    ),
  };
}

function describe({ key, name, nodes, flows }: ProcessDefinition, id: string): JsonObject {
  const node = nodes.get(id);
  if (id === key) return { name: name ?? null, kind: 'process' };
  return { name: (node ?? flows.get(id))?.name ?? null, kind: node?.kind ?? 'sequenceFlow' };
}
