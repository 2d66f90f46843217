import { sqlStateOf, type UnitOfWork } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { armStarts } from './arm-starts.ts';
import {
  deleteDeployment,
  isInUse,
  listDefinitionsOf,
  lockDeployments,
  removeStarts,
  setSuspended,
} from './deployment-repository.ts';

/**
 * Takes a deployment away, with all its definitions and resources; history stays. Versions before it become the
 * latest again.
 *
 * @throws ConflictError `WORKFLOW_IN_USE` while instances run
 */
export async function undeploy(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  deploymentId: number,
): Promise<void> {
  const db = await unitOfWork.db();
  await lockDeployments(db);
  const definitions = await listDefinitionsOf(db, deploymentId);
  if (await isInUse(db, deploymentId)) throw inUse(definitions.map(({ id }) => id));
  for (const { key } of definitions) await removeStarts(db, key);
  try {
    await deleteDeployment(db, deploymentId);
  } catch (error) {
    // One was started since we looked: its foreign key holds the definition.
    throw sqlStateOf(error) === '23503' ? inUse(definitions.map(({ id }) => id)) : error;
  }
  for (const { key } of definitions) await armStarts(platform, unitOfWork, key);
}

/**
 * What the removal of a file means: it is undeployed, or, while instances run, no new ones start.
 */
export async function retire(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  deploymentId: number,
): Promise<'undeployed' | 'suspended'> {
  const db = await unitOfWork.db();
  await lockDeployments(db);
  if (!(await isInUse(db, deploymentId))) {
    await undeploy(platform, unitOfWork, deploymentId);
    return 'undeployed';
  }
  await setSuspended(db, deploymentId, true);
  for (const { key } of await listDefinitionsOf(db, deploymentId)) await removeStarts(db, key);
  return 'suspended';
}

function inUse(ids: readonly string[]): ConflictError {
  return new ConflictError(`Instances of ${ids.map((id) => `'${id}'`).join(', ')} are still running`, {
    id: 'WORKFLOW_IN_USE',
    hint: 'Delete or migrate them first',
  });
}
