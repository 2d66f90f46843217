import type { Db } from '#database/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { CompiledDefinition } from '../definition/definitions.ts';
import type { ElementMapping, ProcessDefinition } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** Elements of the other version by those of this one. */
export const MAPPED_ELEMENTS: JsonObject = {
  type: ['object', 'null'],
  description: 'Elements of that version by elements of this one, where they have other ids',
};

/** The two versions of a migration, and which element stands for which. */
export interface MigrationVersions {
  readonly source: CompiledDefinition;
  readonly target: CompiledDefinition;
  readonly mapping: ElementMapping;
}

/** @throws BadRequestError `WORKFLOW_BAD_FIELD` for a member that there is not */
export function readMembers(body: JsonValue, known: readonly string[]): JsonObject {
  if (body === null) return {};
  if (!isObject(body)) throw refuse('', 'The body is no object');
  const [unknown] = Object.keys(body).filter((name) => !known.includes(name));
  if (unknown === undefined) return body;
  throw refuse(
    `/${unknown}`,
    `There is no '${unknown}'`,
    didYouMean(unknown, known) ?? `Any of ${known.join(', ')}`,
  );
}

/**
 * @param asked.field the member of the request that names the target
 * @throws BadRequestError `WORKFLOW_BAD_FIELD`, `WORKFLOW_MIGRATE_OTHER_PROCESS`, `WORKFLOW_MIGRATE_SAME`; NotFoundError
 */
export async function readVersions(
  { definitions }: WorkflowPlatform,
  db: Db,
  from: string,
  asked: {
    readonly to: JsonValue | undefined;
    readonly field: string;
    readonly mapping: JsonValue | undefined;
  },
): Promise<MigrationVersions> {
  const { to, field } = asked;
  if (typeof to !== 'string' || to === '')
    throw refuse(
      `/${field}`,
      `${field} must be the id of a process definition, not ${JSON.stringify(to ?? null)}`,
    );
  const source = await definitions.get(db, from);
  const target = await definitions.get(db, to);
  if (target.row.key !== source.row.key) {
    throw new BadRequestError(`'${to}' is a version of '${target.row.key}', and not of '${source.row.key}'`, {
      id: 'WORKFLOW_MIGRATE_OTHER_PROCESS',
      field: `/${field}`,
    });
  }
  if (to === from) {
    throw new BadRequestError(`'${to}' is the version that it is on`, {
      id: 'WORKFLOW_MIGRATE_SAME',
      field: `/${field}`,
    });
  }
  return { source, target, mapping: readMapping(asked.mapping, source.process, target.process) };
}

function readMapping(
  given: JsonValue | undefined,
  source: ProcessDefinition,
  target: ProcessDefinition,
): ElementMapping {
  if (given === undefined || given === null) return {};
  if (!isObject(given)) throw refuse('/mapping', 'mapping must be an object of ids of elements');
  const mapping = new Map<string, string>();
  for (const [old, now] of Object.entries(given)) {
    requireElement(old, old, source);
    requireElement(old, now, target);
    mapping.set(old, String(now));
  }
  return Object.fromEntries(mapping);
}

function requireElement(name: string, id: JsonValue, { nodes }: ProcessDefinition): void {
  if (typeof id === 'string' && nodes.has(id)) return;
  const hint = typeof id === 'string' ? didYouMean(id, [...nodes.keys()]) : undefined;
  throw refuse(formatPointer(['mapping', name]), `There is no element ${JSON.stringify(id)}`, hint);
}

function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message.slice(0, 300), {
    id: 'WORKFLOW_BAD_FIELD',
    field,
    ...(hint === undefined ? {} : { hint }),
  });
}
