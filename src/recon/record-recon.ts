import type { UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { contextOf, type Mapping } from '#sync/index.ts';
import type { ReconPlatform } from './recon-platform.ts';
import type { ReconRun } from './recon-run.ts';
import { shownParameters } from './recon-view.ts';

/** Tells the audit that a run has begun, with the names of the field. */
export async function recordStart(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  run: ReconRun,
  { source, target }: Mapping,
): Promise<void> {
  const message = `Reconciliation initiated by ${String(run.security?.['authenticationId'] ?? 'system')}`;
  await record(platform, unitOfWork, run, {
    entryType: 'start',
    message,
    messageDetail: { mode: run.mode, source, target, parameters: shownParameters(run.parameters) },
  });
}

/** @param summary what `/recon/<id>` shows of it */
export async function recordEnd(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  run: ReconRun,
  summary: JsonObject,
): Promise<void> {
  await record(platform, unitOfWork, run, {
    entryType: 'summary',
    status: summary['state'] === 'SUCCESS' ? 'SUCCESS' : 'FAILURE',
    message: String(summary['stageDescription']),
    messageDetail: summary,
  });
}

async function record(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  run: ReconRun,
  facts: JsonObject,
): Promise<void> {
  const told = { reconId: run.id, mapping: run.mapping, ...facts };
  await platform.recordRecon(contextOf(run, unitOfWork), told, `recon/${run.id}`);
}
