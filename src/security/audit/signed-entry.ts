import { canonicalText, isObject, type JsonValue } from '#json/index.ts';
import { type AuditEvent, type AuditTopic, eventContent } from './audit-event.ts';
import type { AuditKeys } from './audit-keys.ts';
import { storable } from './storable.ts';

/** An entry as it is stored. */
export interface SignedEntry {
  readonly id: string;
  readonly topic: AuditTopic;
  /** ISO, to the microsecond, because that is what the database keeps. */
  readonly recordedAt: string;
  readonly transactionId: string;
  readonly userId: string | null;
  readonly objectId: string | null;
  readonly node: string;
  /** JSON text with its members in order. */
  readonly content: string;
  readonly signature: string;
}

/** Signs entries in the name of a node. */
export type SignEntry = (event: AuditEvent) => SignedEntry;

export function entrySigner(keys: AuditKeys, node: string): SignEntry {
  return (event) => {
    const { id, topic, at, transactionId, userId, objectId } = event;
    const entry = {
      id,
      topic,
      recordedAt: new Date(at).toISOString().replace('Z', '000Z'),
      transactionId: storable(transactionId.slice(0, MOST_NAMED)),
      userId: indexed(userId),
      objectId: indexed(objectId),
      node,
      content: storableText(eventContent(event)),
    };
    return { ...entry, signature: keys.sign(signedText(entry)) };
  };
}

/** The most characters of the id of a request, to which each nested one appends something. */
const MOST_NAMED = 1_000;
/** No index takes a text of any length; the entry itself has it whole. A name that is longer than any is one of nobody. */
const MOST_INDEXED = 500;

function indexed(text: string | null): string | null {
  return text === null ? null : storable(text.slice(0, MOST_INDEXED));
}

/** What a signature is over. */
export function signedText(entry: Omit<SignedEntry, 'signature'>): string {
  const { id, topic, recordedAt, transactionId, userId, objectId, node, content } = entry;
  return `${JSON.stringify([id, topic, recordedAt, transactionId, userId, objectId, node])}\n${content}`;
}

/** What no text of Postgres can hold, and what encrypted values are known by. */
const ESCAPED = /\\u(?:0000|d[89a-f])/;
const ENVELOPE = 'x-simple-encryption';

/**
 * Leaves out what the database cannot hold: a name that somebody made up must not keep others from the trail. An encrypted
 * value inside a text would be encrypted again when keys change, which would look like a forgery; so the word by which it
 * is known is broken, and no more than that, or the word would hide the text around it.
 */
function storableText(value: JsonValue): string {
  const text = canonicalText(value);
  // Most texts have no escape of any kind, which is seen many times faster.
  const isPlain = (!text.includes('\\u') || !ESCAPED.test(text)) && !text.includes(ENVELOPE);
  return isPlain ? text : canonicalText(withStorableTexts(value));
}

function withStorableTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutEnvelope(storable(value));
  if (Array.isArray(value)) return value.map(withStorableTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      withoutEnvelope(storable(name)),
      withStorableTexts(member),
    ]),
  );
}

function withoutEnvelope(text: string): string {
  return text.replaceAll(ENVELOPE, 'x-simple-***');
}
