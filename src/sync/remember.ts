import { equalJson, type JsonObject } from '#json/index.ts';
import type { Outcome } from './carry-out.ts';
import type { Choice } from './choose-action.ts';
import { NO_SOURCE, type Sight } from './look.ts';
import type { Scope } from './stage.ts';
import { forgetState, type StateRow, storeState } from './state-repository.ts';
import { auditFacts } from './sync-record.ts';
import { type DeliveryNote, type WrittenBy, writtenBy } from './written-by.ts';

interface Done {
  readonly sight: Sight;
  readonly choice: Choice;
  readonly outcome: Outcome;
  /** What is known of an earlier delivery. */
  readonly state: StateRow | undefined;
}

/** Writes down what has come of a delivery, if that is news, and tells the audit what was changed. */
export async function remember(scope: Scope, done: Done): Promise<void> {
  const { mapping, qualifier, context, platform } = scope;
  const { sight, choice, outcome, state } = done;
  const { sourceId, situation, source } = sight;
  const { targetId, hasChanged } = outcome;
  const print = platform.mappings.readsOf(mapping)?.print ?? null;
  const db = await context.unitOfWork.db();
  if (sourceId === NO_SOURCE) {
    // There is no pair of which anything could be known.
  } else if (targetId === null) {
    if (state !== undefined) await forgetState(db, { mapping: mapping.name, qualifier, sourceId });
  } else if (isNews(done, print)) {
    await storeState(db, {
      mapping: mapping.name,
      qualifier,
      source_id: sourceId,
      target_id: targetId,
      situation,
      action: choice.action,
      outcome: 'delivered',
      error: null,
      assignments: outcome.assignments ?? state?.assignments ?? null,
      ...whoWrote(scope, done),
      source_rev: revisionOf(source),
      transaction_id: context.transactionId,
      mapping_print: print,
    });
  }
  if (!hasChanged && choice.action !== 'REPORT') return;
  const facts = auditFacts(scope, sourceId, { sight, choice }, { outcome });
  await platform.record(context, facts, `${mapping.source}/${sourceId}`);
}

/** Where a delivery has mapped nothing, what was known before stays. */
function whoWrote(
  { platform, context, reconId }: Scope,
  { sight, outcome, state }: Done,
): Pick<StateRow, 'provenance' | 'deliveries'> {
  const { provenance, written } = outcome;
  const before = { provenance: state?.provenance ?? null, deliveries: state?.deliveries ?? null };
  if (provenance === null) return before;
  const now: DeliveryNote = {
    at: new Date(platform.clock.now()).toISOString(),
    transactionId: context.transactionId,
    userId: context.security.authenticationId,
    sourceRev: revisionOf(sight.source),
    reconId: reconId ?? null,
  };
  const known: WrittenBy = { provenance: before.provenance ?? {}, deliveries: before.deliveries ?? [] };
  return writtenBy(known, provenance, written, now);
}

function isNews({ outcome, state }: Done, print: string | null): boolean {
  const { targetId, hasChanged, assignments } = outcome;
  return (
    hasChanged ||
    state?.outcome !== 'delivered' ||
    state.target_id !== targetId ||
    (print !== null && state.mapping_print !== print) ||
    (assignments !== undefined && !equalJson(state.assignments, assignments))
  );
}

function revisionOf(source: JsonObject | null): string | null {
  const rev = source?.['_rev'];
  return typeof rev === 'string' ? rev : null;
}
