import type { UnitOfWork } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { systemContext, type WriteContext } from '#resource/index.ts';
import type { Stimulus } from '../engine/index.ts';
import { readSecurity } from '../identity/kept-security.ts';
import type { LockedInstance } from '../instance/instance.ts';
import { CONTEXT_VARIABLE } from '../variable/variable.ts';
import type { JobRow } from './job-repository.ts';

/** What decides whether a job is done, and how. */
export type JobFacts = Pick<
  JobRow,
  'id' | 'kind' | 'execution' | 'element' | 'payload' | 'revision' | 'is_dead'
>;

/** What a due job is to its instance. */
export function stimulusOf({
  kind,
  element,
  payload,
  ...row
}: JobFacts): Exclude<Stimulus, { kind: 'start' }> {
  const execution = row.execution ?? 0;
  if (kind === 'timer') return { kind, execution, element };
  if (kind === 'async') return { kind: 'job', execution };
  const { name, variables } = payload as { name: string; variables: JsonObject };
  return { kind: 'signal', name, variables };
}

/** A signal is a row of its own, and no wait of its instance: the step that it is for takes it away. */
export function servedBy({ id, kind }: JobFacts): { readonly served?: string } {
  return kind === 'signal' ? { served: id } : {};
}

/**
 * A process goes on in the name of whoever started it; one that nobody did, in the name of the server. What it does
 * belongs to the request or run that caused it, however long ago that was.
 */
export function contextOf(
  { state }: LockedInstance,
  unitOfWork: UnitOfWork,
  transaction: JsonValue | undefined,
): WriteContext {
  const kept = state.variables['0']?.[CONTEXT_VARIABLE];
  const context = systemContext(readSecurity(kept));
  const transactionId = typeof transaction === 'string' ? transaction : context.transactionId;
  unitOfWork.actor = { userId: context.security.authenticationId, transactionId };
  return { ...context, transactionId, unitOfWork };
}
