import type { JsonObject } from '#json/index.ts';
import { timeOrderedId } from '#time/index.ts';

export const AUDIT_TOPICS = ['access', 'activity', 'authentication', 'config', 'recon', 'sync'] as const;
export type AuditTopic = (typeof AUDIT_TOPICS)[number];

/** One entry of the audit trail, ready to be stored. */
export interface AuditEvent {
  readonly id: string;
  readonly topic: AuditTopic;
  /** Epoch ms. */
  readonly at: number;
  readonly transactionId: string;
  readonly userId: string | null;
  readonly objectId: string | null;
  /** What is special about the topic. */
  readonly facts: JsonObject;
  /** A caller has written it: that it happened is what the caller says. */
  readonly handMade?: boolean;
}

export function auditEvent(
  topic: AuditTopic,
  who: { readonly transactionId: string; readonly userId: string | null },
  facts: JsonObject,
  objectId: string | null = null,
  at = Date.now(),
): AuditEvent {
  const { transactionId, userId } = who;
  return { id: timeOrderedId(at), topic, at, transactionId, userId, objectId, facts };
}

/** The entry as `/audit/<topic>` shows it, without `_id`. */
export function eventContent(event: AuditEvent): JsonObject {
  const { topic, at, transactionId, userId, objectId, facts, handMade = false } = event;
  // What the server says stands last: no fact of a caller takes its place.
  return {
    ...facts,
    timestamp: new Date(at).toISOString(),
    eventName: topic === 'config' ? 'CONFIG' : topic,
    transactionId,
    userId,
    ...(objectId === null ? {} : { objectId }),
    trackingIds: [],
    ...(handMade ? { handMade } : {}),
  };
}

/** What entries of the server may have, of all topics; those of callers may have more. */
export const EVENT_FIELDS: readonly string[] = [
  ...['topic', 'timestamp', 'eventName', 'transactionId', 'userId', 'objectId', 'trackingIds', 'handMade'],
  ...['client', 'http', 'request', 'response', 'roles', 'server'],
  ...['runAs', 'operation', 'before', 'after', 'changedFields', 'passwordChanged', 'watchedFieldsChanged'],
  ...['revision', 'status', 'message', 'truncated'],
  ...['context', 'entries', 'principal', 'result'],
  ...['action', 'situation', 'mapping', 'linkQualifier', 'sourceObjectId', 'targetObjectId', 'exception'],
  ...['reconId', 'entryType', 'reconciling', 'messageDetail'],
];
