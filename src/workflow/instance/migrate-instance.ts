import { BadRequestError, InternalServerError, toResourceError } from '#errors/index.ts';
import { dbOf, type WriteContext } from '#resource/index.ts';
import { findLatest } from '../definition/definition-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { beginStep } from './begin-step.ts';
import { isId } from './instance-id.ts';
import { lockInstance } from './instance-repository.ts';
import { migrateStep } from './take-step.ts';

/** Moves a running instance to the latest version of its process. */
export async function migrateInstance(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
): Promise<void> {
  const db = await dbOf(platform, context);
  const locked = isId(id) ? await lockInstance(db, id) : undefined;
  if (locked === undefined) {
    throw new BadRequestError(`There is no running process instance '${id}' to migrate`, {
      id: 'WORKFLOW_MIGRATE_NO_INSTANCE',
    });
  }
  const { definitionId, definitionKey } = locked.instance;
  const latest = await findLatest(db, definitionKey);
  if (latest === undefined) {
    throw new BadRequestError(`There is no process definition with the key '${definitionKey}' any more`, {
      id: 'WORKFLOW_MIGRATE_NO_DEFINITION',
    });
  }
  if (latest.id === definitionId) {
    throw new BadRequestError(`The process instance '${id}' is already on the latest version`, {
      id: 'WORKFLOW_MIGRATE_LATEST',
      hint: `Which is '${latest.id}'`,
    });
  }
  const failed = (why: string, cause?: unknown) =>
    new InternalServerError(`The process instance '${id}' failed to migrate to '${latest.id}': ${why}`, {
      id: 'WORKFLOW_MIGRATE_FAILED',
      ...(cause === undefined ? {} : { cause }),
    });
  const target = { definitionId: latest.id, definitionName: latest.name, deploymentId: latest.deployment_id };
  const migration = await migrateStep(beginStep(platform, context), locked, target).catch(
    (error: unknown) => {
      throw failed(toResourceError(error).message, error);
    },
  );
  if (migration.isMigrated) return;
  throw failed(migration.refusals.map(({ element, message }) => `'${element}' ${message}`).join('; '));
}
