import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { flag, wholeNumber } from './scalar-schema.ts';

const words = () => z.array(z.string());

const filter = (actions: readonly string[]) =>
  z.looseObject({ actions: words().default([...actions]) }).prefault({});

const schema = z.looseObject({
  /** How long entries are kept, in days. */
  keepDays: wholeNumber({ min: 1 }).default(365),
  eventTopics: z
    .looseObject({
      /** Requests from outside, by their kind; those that failed are always recorded. */
      access: z
        .looseObject({
          enabled: flag().default(true),
          filter: filter(['create', 'update', 'delete', 'patch', 'action', 'query']),
        })
        .prefault({}),
      /** Changes, recorded in the transaction that makes them. */
      activity: z
        .looseObject({
          enabled: flag().default(true),
          filter: filter(['create', 'update', 'delete', 'patch']),
          /** Pointers of properties whose change is marked. */
          watchedFields: words().default([]),
          /** Pointers of properties whose change is marked as a change of the password; never shown. */
          passwordFields: words().default(['/password']),
          /** Whether entries hold the object before and after. */
          details: flag().default(true),
        })
        .prefault({}),
      authentication: z.looseObject({ enabled: flag().default(true) }).prefault({}),
      config: z
        .looseObject({
          enabled: flag().default(true),
          filter: filter(['create', 'update', 'delete', 'patch']),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** `audit.json`: what is recorded, and how long it is kept. Handlers of other servers mean nothing here. */
export const auditConfig = defineConfig({
  id: 'audit',
  schema,
  unread: { hint: 'Entries are kept in the database for "keepDays" and read through /audit' },
});

export type AuditConfig = z.output<typeof schema>;
