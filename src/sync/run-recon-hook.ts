import type { JsonObject } from '#json/index.ts';
import { isShipped } from './assignment/give-assignments.ts';
import { runScript } from './mapping-scripts.ts';
import type { Stage } from './stage.ts';

/** The script of a mapping that runs before a reconciliation; the shipped one has nothing to do here. @throws what it throws */
export async function runOnRecon(stage: Stage, reconId: string): Promise<void> {
  const { onRecon: reference, written } = stage.mapping;
  if (reference === undefined || (await isShipped(stage, reference))) return;
  await runScript(stage, { use: 'onRecon', reference, bindings: { mappingConfig: written, reconId } });
}

/** What has come of a reconciliation. */
export interface ReconResult {
  readonly source: JsonObject;
  readonly target: JsonObject;
  readonly global: JsonObject;
}

/** The script of a mapping that runs when a reconciliation has done all. @throws what it throws */
export async function runResult(stage: Stage, reconId: string, result: ReconResult): Promise<void> {
  const { result: reference, written } = stage.mapping;
  if (reference === undefined) return;
  await runScript(stage, {
    use: 'result',
    reference,
    bindings: { mappingConfig: written, reconId, ...result },
  });
}
