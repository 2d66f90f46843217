import {
  BadRequestError,
  ConflictError,
  InternalServerError,
  type ResourceError,
  toResourceError,
} from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { bodyOf, dbOf, namesOf, textMember, type WriteContext } from '#resource/index.ts';
import { findLatest } from '../definition/definition-repository.ts';
import type { MigrationRefusal } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { beginStep } from './begin-step.ts';
import { isId } from './instance-id.ts';
import { lockInstance } from './instance-repository.ts';
import { MAPPED_ELEMENTS, readMembers, readVersions } from './migration-target.ts';
import { migrateStep } from './take-step.ts';

export const MIGRATION = bodyOf({
  processDefinitionId: textMember('The version; by default the newest one'),
  mapping: MAPPED_ELEMENTS,
});
const MEMBERS = namesOf(MIGRATION);

/**
 * Moves a running instance to another version of its process.
 *
 * @param body `{processDefinitionId, mapping}`, both of which may be left out: the latest version, and each element to that of
 *   its id. Another version, and a mapping to other elements, are for whoever may have the server run something new
 */
export async function migrateInstance(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  body: JsonValue,
): Promise<void> {
  const { processDefinitionId: wanted, mapping } = readMembers(body, MEMBERS);
  const db = await dbOf(platform, context);
  const locked = isId(id) ? await lockInstance(db, id) : undefined;
  if (locked === undefined) {
    throw new BadRequestError(`There is no running process instance '${id}' to migrate`, {
      id: 'WORKFLOW_MIGRATE_NO_INSTANCE',
    });
  }
  const { definitionId, definitionKey } = locked.instance;
  const latest = await findLatest(db, definitionKey);
  if (wanted === undefined && latest === undefined) {
    throw new BadRequestError(`There is no process definition with the key '${definitionKey}' any more`, {
      id: 'WORKFLOW_MIGRATE_NO_DEFINITION',
    });
  }
  if (wanted === undefined && latest?.id === definitionId) {
    throw new BadRequestError(`The process instance '${id}' is already on the latest version`, {
      id: 'WORKFLOW_MIGRATE_LATEST',
      hint: `Which is '${latest.id}'`,
    });
  }
  const versions = await readVersions(platform, db, definitionId, {
    to: wanted ?? latest?.id,
    field: 'processDefinitionId',
    mapping,
  });
  const { row } = versions.target;
  // What goes on elsewhere, or by what was replaced, may have left behind who was to approve: as with another process file.
  const isMapped = Object.entries(versions.mapping).some(([old, now]) => old !== now);
  if (isMapped) await platform.resources.requireScriptRight(context, '/mapping');
  if (row.id !== latest?.id) await platform.resources.requireScriptRight(context, '/processDefinitionId');
  const failed = (
    why: string,
    options: { readonly refusals?: readonly MigrationRefusal[]; readonly cause?: unknown },
  ) =>
    migrationFailed(`The process instance '${id}' failed to migrate to '${row.id}': ${why}`, body, options);
  const target = { definitionId: row.id, definitionName: row.name, deploymentId: row.deployment_id };
  const migration = await migrateStep(beginStep(platform, context), locked, target, versions.mapping).catch(
    (error: unknown) => {
      throw failed(toResourceError(error).message, { cause: error });
    },
  );
  if (migration.isMigrated) return;
  const { refusals } = migration;
  throw failed(refusals.map(({ element, message }) => `'${element}' ${message}`).join('; '), { refusals });
}

/** Whoever has chosen the version is told that it does not fit; clients of the field expect 500 where nobody has. */
function migrationFailed(
  message: string,
  body: JsonValue,
  { refusals, cause }: { readonly refusals?: readonly MigrationRefusal[]; readonly cause?: unknown },
): ResourceError {
  const told = refusals === undefined ? {} : { detail: { refusals: refusals.map((one) => ({ ...one })) } };
  if (body === null || refusals === undefined)
    return new InternalServerError(message, { id: 'WORKFLOW_MIGRATE_FAILED', ...told, cause });
  return new ConflictError(message, {
    id: 'WORKFLOW_MIGRATE_REFUSED',
    hint: 'Map these elements to others: {"mapping": {"old": "new"}}',
    ...told,
  });
}
