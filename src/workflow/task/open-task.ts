import { type Context, readerOf } from '#resource/index.ts';
import { isId } from '../instance/instance-id.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { noTask } from './move-task.ts';
import { findSurroundings, findTask, type TaskRow } from './task-listing-repository.ts';
import { visibleVariables } from './task-view.ts';
import { userTaskAt } from './user-task-at.ts';

/** @throws NotFoundError */
export async function getOpenTask(
  platform: WorkflowPlatform,
  context: Context,
  id: string,
): Promise<TaskRow> {
  const row = isId(id) ? await findTask(await readerOf(platform, context), id) : undefined;
  if (row === undefined || row.ended_at !== null) throw noTask(id);
  return row;
}

/** An open task with what its form is made of. @throws NotFoundError */
export async function readOpenTask(platform: WorkflowPlatform, context: Context, id: string) {
  const db = await readerOf(platform, context);
  const row = await getOpenTask(platform, context, id);
  const surroundings = await findSurroundings(db, row);
  const { process } = await platform.definitions.get(db, row.definition_id);
  const variables = visibleVariables(row, surroundings, process);
  return { row, surroundings, variables, node: userTaskAt(process, row.element) };
}
