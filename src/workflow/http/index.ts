/** Requests that processes send: tasks of type `http`. Where they may go, a guard decides (`egress/`). */

export { runHttpTask } from './http-task.ts';
export { processGuard } from './process-guard.ts';
