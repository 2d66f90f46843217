import type { AuditConfig } from '#config/index.ts';
import type { Actor, Change } from '#database/index.ts';
import { firstOf, formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type AuditEvent, auditEvent } from './audit-event.ts';
import { boundedValue } from './bounded-value.ts';
import { type ChangedFields, changedAmong, changedFields, redact } from './changed-fields.ts';

const NOTHING: ChangedFields = { fields: [], isTruncated: false };

/** Changes of the configuration hide secrets only: its words for what is hidden must not hide what became of it. */
const SECRET_SETTINGS = ['/password'];

/**
 * What is recorded of a change; undefined when the configuration leaves it out. Changes of the configuration are recorded
 * whatever it says: otherwise whoever may change it could switch the trail off, do something, and switch it on again.
 */
export function activityOf(
  change: Change,
  actor: Actor,
  topics: AuditConfig['eventTopics'],
): AuditEvent | undefined {
  const { resource, operation, before, after, owner, privates = [] } = change;
  const topic = recordedIn(change, topics);
  if (topic === undefined) return undefined;
  const isConfig = topic === 'config';
  const { watchedFields, passwordFields, details } = topics.activity;
  const asked = nameOf(change);
  const hidden = isConfig
    ? SECRET_SETTINGS
    : [...passwordFields, ...[...privates].map((name) => formatPointer([name]))];
  const changed = operation === 'update' ? changedFields(before, after) : NOTHING;
  const shown = (details || isConfig ? [before, after] : []).map((side) => {
    const open = redact(side, hidden);
    // Nothing of a configuration may be hidden behind something large.
    return isConfig ? { value: open, isTruncated: false } : boundedValue(open);
  });
  const isTruncated = changed.isTruncated || shown.some((side) => side.isTruncated);
  const facts: JsonObject = {
    runAs: actor.userId,
    operation: asked.toUpperCase(),
    changedFields: [...changed.fields],
    revision: revisionOf(after ?? before),
    ...(owner === undefined ? {} : { owner }),
    ...(shown.length === 0 ? {} : { before: firstOf(shown).value, after: shown[1]!.value }),
    ...(isTruncated ? { truncated: true } : {}),
  };
  if (isConfig) return auditEvent('config', actor, facts, resource.replace(/^config\//, ''));
  return auditEvent(
    'activity',
    actor,
    {
      ...facts,
      status: 'SUCCESS',
      message: '',
      passwordChanged: operation !== 'delete' && changedAmong(passwordFields, before, after).length > 0,
      ...(watchedFields.length === 0
        ? {}
        : { watchedFieldsChanged: changedAmong(watchedFields, before, after) }),
    },
    resource,
  );
}

/** The topic of the audit that a change is recorded in; undefined when the configuration leaves it out. */
export function recordedIn(
  change: Change,
  { activity: { enabled, filter } }: AuditConfig['eventTopics'],
): 'config' | 'activity' | undefined {
  if (/^(?:config|script\/file)\//.test(change.resource)) return 'config';
  const asked = nameOf(change);
  const isWanted = enabled && filter.actions.some((action) => action.toLowerCase() === asked);
  return isWanted ? 'activity' : undefined;
}

function nameOf({ isPatch, operation }: Change) {
  return isPatch === true ? 'patch' : operation;
}

function revisionOf(value: JsonValue): JsonValue {
  return isObject(value) ? (value['_rev'] ?? null) : null;
}
