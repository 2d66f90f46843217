import { findOperation } from './operation/operation-repository.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import { findView } from './scan-run-repository.ts';

/** Tells log and metrics how a run ended. */
export async function sayEnded({ database, observe }: TaskScannerPlatform, id: string): Promise<void> {
  const view = await findView(database.db, id);
  if (view === undefined) return sayOperation({ database, observe }, id);
  const { schedule, object, state, total, successes, failures, skipped, started_at, ended_at, error } = view;
  observe({
    kind: 'scan.ended',
    run: id,
    scan: schedule ?? object,
    state,
    total,
    successes,
    failures,
    skipped,
    ms: (ended_at?.getTime() ?? 0) - (started_at?.getTime() ?? 0),
    error: error === null ? null : String(error['message']),
  });
}

async function sayOperation(
  { database, observe }: Pick<TaskScannerPlatform, 'database' | 'observe'>,
  id: string,
): Promise<void> {
  const view = await findOperation(database.db, id, null);
  if (view === undefined) return;
  const { act, resource, state, total, successes, failures, skipped, created_at, ended_at, error } = view;
  observe({
    kind: 'operation.ended',
    operation: id,
    act,
    resource,
    state,
    total,
    successes,
    failures,
    skipped,
    ms: (ended_at?.getTime() ?? 0) - created_at.getTime(),
    error: error === null ? null : String(error['message']),
  });
}
