import { NotFoundError } from '#errors/index.ts';

export function notRunning(id: string): NotFoundError {
  return new NotFoundError(`The process instance '${id}' is not running any more`, {
    id: 'WORKFLOW_NOT_RUNNING',
  });
}
