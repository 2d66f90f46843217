import { z } from 'zod';
import { isObject, type JsonValue } from '#json/index.ts';
import { type Doubt, defineConfig } from '../config-definition.ts';
import { flag, wholeNumber } from './scalar-schema.ts';

const words = () => z.array(z.string());

const filter = (actions: readonly string[]) =>
  z.looseObject({ actions: words().default([...actions]) }).prefault({});

const schema = z.looseObject({
  /** How long entries are kept, in days; 90 at least. */
  keepDays: wholeNumber({ min: 1 }).prefault(365),
  eventTopics: z
    .looseObject({
      /** Requests from outside, by their kind; those that failed are always recorded. */
      access: z
        .looseObject({
          enabled: flag().prefault(true),
          filter: filter(['create', 'update', 'delete', 'patch', 'action', 'query']),
        })
        .prefault({}),
      /** Changes, recorded in the transaction that makes them. */
      activity: z
        .looseObject({
          enabled: flag().prefault(true),
          filter: filter(['create', 'update', 'delete', 'patch']),
          /** Pointers of properties whose change is marked. */
          watchedFields: words().default([]),
          /** Pointers of properties whose change is marked as a change of the password; never shown. */
          passwordFields: words().default(['/password']),
          /** Whether entries hold the object before and after. */
          details: flag().prefault(true),
        })
        .prefault({}),
      authentication: z.looseObject({ enabled: flag().prefault(true) }).prefault({}),
      /** What synchronisation has brought to its targets, and what it could not. */
      sync: z.looseObject({ enabled: flag().prefault(true) }).prefault({}),
      /** What reconciliations have changed, and what they could not; their beginning and their end. */
      recon: z.looseObject({ enabled: flag().prefault(true) }).prefault({}),
      /** Always recorded, whatever stands here. */
      config: z.looseObject({ enabled: flag().prefault(true) }).prefault({}),
    })
    .prefault({}),
});

/**
 * How many days entries are kept at least, as `audit_keep_at_least` of the database has it, which the configuration
 * cannot change.
 */
const KEPT_AT_LEAST_DAYS = 90;

function keptLonger(value: JsonValue): Doubt | undefined {
  if (value === null || !(Number(value) < KEPT_AT_LEAST_DAYS)) return undefined;
  return {
    id: 'AUDIT_KEPT_LONGER',
    message: `"keepDays": ${JSON.stringify(value)} is less than the ${KEPT_AT_LEAST_DAYS} days that the audit trail is kept at least`,
    hint: 'The owner of the database may replace its function audit_keep_at_least',
  };
}

function alwaysOn(topics: JsonValue): Doubt | undefined {
  const config = isObject(topics) ? (topics['config'] ?? null) : null;
  if (!isObject(config) || (config['enabled'] !== false && config['enabled'] !== 'false')) return undefined;
  return {
    id: 'AUDIT_ALWAYS_ON',
    message: 'The topic "config" cannot be switched off: "enabled": false has no effect',
    hint: 'Leave it out',
  };
}

/** `audit.json`: what is recorded, and how long it is kept. Handlers of other servers mean nothing here. */
export const auditConfig = defineConfig({
  id: 'audit',
  schema,
  doubts: { keepDays: keptLonger, eventTopics: alwaysOn },
  unread: { hint: 'Entries are kept in the database for "keepDays" and read through /audit' },
});

export type AuditConfig = z.output<typeof schema>;
