import { toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Outcome } from './carry-out.ts';
import type { Choice } from './choose-action.ts';
import { NO_SOURCE, type Sight } from './look.ts';
import type { Scope } from './stage.ts';
import { withoutWords } from './words.ts';

/** What was done about one source object, as `syncResults` of `onSync` tells it, with the names of the field. */
export interface SyncRecord extends JsonObject {
  readonly mapping: string;
  readonly linkQualifier: string | null;
  readonly sourceId: string;
  readonly situation: string | null;
  readonly action: string | null;
  readonly targetId: string | null;
  readonly result: 'SUCCESSFUL' | 'FAILED' | 'QUEUED';
}

/** How far a delivery has come. */
export interface Progress {
  sight?: Sight;
  choice?: Choice;
  outcome?: Outcome;
}

export function recordOf(
  { mapping, qualifier, reconId }: Scope,
  sourceId: string,
  { sight, choice }: Progress,
  result: { readonly outcome: Outcome } | { readonly error: unknown },
): SyncRecord {
  const outcome = 'outcome' in result ? result.outcome : undefined;
  const ambiguous = sight?.ambiguous ?? [];
  return {
    reconId: reconId ?? null,
    mapping: mapping.name,
    situation: sight?.situation ?? null,
    action: choice?.action ?? null,
    sourceId,
    linkQualifier: qualifier,
    targetId: outcome?.targetId ?? sight?.targetId ?? null,
    ambiguousTargetIds: ambiguous.length === 0 ? null : [...ambiguous],
    oldTargetValue: sight?.target ?? null,
    targetObjectSet: outcome?.targetObject ?? null,
    result: outcome === undefined ? 'FAILED' : 'SUCCESSFUL',
    ...('error' in result ? { cause: bodyOf(result.error) } : {}),
  };
}

/** The record of a change that is delivered later. */
export function queuedRecord(mapping: string, sourceId: string): SyncRecord {
  const nothing = { linkQualifier: null, situation: null, action: null, targetId: null };
  return { mapping, sourceId, ...nothing, result: 'QUEUED' };
}

/**
 * The same for those who ask from outside: values of the target they read where it is, with their own rights.
 *
 * @param seesAll whether they see the words of errors (`seesWords`)
 */
export function shownRecord(
  { oldTargetValue, targetObjectSet, cause, ...record }: SyncRecord,
  seesAll: boolean,
): JsonObject {
  if (!isObject(cause)) return record;
  return { ...record, cause: seesAll ? cause : withoutWords(cause) };
}

/** What the audit tells of a delivery, with the names of the field. Of what was written it has the names. */
export function auditFacts(
  { mapping, qualifier }: Scope,
  sourceId: string,
  { sight, choice }: Progress,
  result: { readonly outcome: Outcome } | { readonly error: unknown },
): JsonObject {
  const outcome = 'outcome' in result ? result.outcome : undefined;
  const targetId = outcome?.targetId ?? sight?.targetId ?? null;
  const error = 'error' in result ? keptError(result.error) : undefined;
  const written = outcome?.written ?? null;
  return {
    action: choice?.action ?? null,
    situation: sight?.situation ?? null,
    mapping: mapping.name,
    linkQualifier: qualifier,
    sourceObjectId: sourceId === NO_SOURCE ? null : `${mapping.source}/${sourceId}`,
    targetObjectId: targetId === null ? null : `${mapping.target}/${targetId}`,
    status: error === undefined ? 'SUCCESS' : 'FAILURE',
    message: error === undefined ? '' : String(error['message']),
    ...(error === undefined ? {} : { exception: error }),
    ...(written === null ? {} : { changedFields: [...written] }),
  };
}

export const LONGEST_WORDS = 1_000;

/** What is kept of an error: the details of a script may be anything. */
export function keptError(error: unknown): JsonObject {
  const { code, reason, message, detail = null } = bodyOf(error);
  const { id = null, hint = null }: JsonObject = isObject(detail) ? detail : {};
  return {
    code: code ?? null,
    reason: reason ?? null,
    message: String(message).slice(0, LONGEST_WORDS),
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
}

function bodyOf(error: unknown): JsonObject {
  const { code, reason, message, detail } = toResourceError(error);
  const shown: JsonValue | undefined = detail;
  return { code, reason, message, ...(shown === undefined ? {} : { detail: shown }) };
}
