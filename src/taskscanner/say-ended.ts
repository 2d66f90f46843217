import type { TaskScannerPlatform } from './scan-platform.ts';
import { findView } from './scan-run-repository.ts';

/** Tells log and metrics how a run ended. */
export async function sayEnded({ database, observe }: TaskScannerPlatform, id: string): Promise<void> {
  const view = await findView(database.db, id);
  if (view === undefined) return;
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
