import { z } from 'zod';
import { defineConfigFactory } from '../config-definition.ts';
import { filledText, flag, jsonObject } from './scalar-schema.ts';

/** What can be done with an object of a system, by the names of files of the field. */
export const SYSTEM_OPERATIONS = [
  'CREATE',
  'UPDATE',
  'DELETE',
  'TEST',
  'SCRIPT_ON_CONNECTOR',
  'SCRIPT_ON_RESOURCE',
  'GET',
  'RESOLVEUSERNAME',
  'AUTHENTICATE',
  'SEARCH',
  'VALIDATE',
  'SYNC',
  'SCHEMA',
] as const;
export type SystemOperation = (typeof SYSTEM_OPERATIONS)[number];

/** Flags that say what may be done with a property. Other flags are taken and change nothing. */
export const PROPERTY_FLAGS = [
  'NOT_CREATABLE',
  'NOT_UPDATEABLE',
  'NOT_READABLE',
  'NOT_RETURNED_BY_DEFAULT',
  'MULTIVALUED',
  'AUDITED',
  'NOT_QUERYABLE',
  'PASSWORD',
  'STORE_IN_REPOSITORY',
  'IGNORE',
  'REMOTE',
] as const;

/** Milliseconds, or -1 for as long as it takes. */
const span = z.union([z.number(), z.string()]).transform((given, check) => {
  const number = Number(given);
  if (Number.isInteger(number) && number >= -1) return number;
  check.addIssue('must be a number of milliseconds, or -1 for none');
  return z.NEVER;
});

const count = z.union([z.number(), z.string()]).transform((given, check) => {
  const number = Number(given);
  if (Number.isInteger(number) && number >= 0) return number;
  check.addIssue('must be a whole number, at least 0');
  return z.NEVER;
});

const property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).default('string'),
  nativeName: filledText().optional(),
  nativeType: z.string().optional(),
  items: jsonObject().optional(),
  required: flag().optional(),
  flags: z.array(z.string()).nullish(),
  key: z.string().nullish(),
  cipher: z.string().nullish(),
  default: z.unknown().optional(),
});

const objectType = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  nativeType: filledText(),
  properties: z.record(z.string(), property).default({}),
});

const operationOption = z.looseObject({
  denied: flag().optional(),
  supportedObjectTypes: z.array(z.string()).nullish(),
  objectFeatures: z.record(z.string(), z.looseObject({ denied: flag().optional() })).nullish(),
});

/** What is done when a change is not tried any more, by the words of the field. */
export const POST_RETRY_ACTIONS = ['logged-ignore', 'dead-letter-queue'] as const;

const syncFailureHandler = z.looseObject({
  /** How often a change that has failed is tried again: -1 for ever. */
  maxRetries: z
    .union([z.number(), z.string()])
    .transform((given, check) => {
      const number = Number(given);
      if (Number.isInteger(number) && number >= -1) return number;
      check.addIssue('must be a whole number, or -1 for as often as it takes');
      return z.NEVER;
    })
    .optional(),
  postRetryAction: z
    .union(
      [z.enum(POST_RETRY_ACTIONS), z.looseObject({ script: jsonObject() })],
      `must be one of ${POST_RETRY_ACTIONS.join(', ')}, or {"script": …}`,
    )
    .optional(),
  /** Whether a change that fails holds up all that come after it. */
  strictOrder: flag().prefault(false),
  /** What is done where the system does not know any more what has changed. */
  onGap: z.enum(['reconcile', 'report']).default('reconcile'),
});

const schema = z.looseObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, 'must be letters and digits, because it is a part of a path')
    .max(64),
  enabled: flag().prefault(true),
  connectorRef: z.looseObject({
    connectorName: filledText(),
    bundleName: z.string().optional(),
    bundleVersion: z.string().optional(),
    connectorHostRef: z.string().nullish(),
    displayName: z.string().optional(),
    systemType: z.string().optional(),
  }),
  configurationProperties: jsonObject().default({}),
  poolConfigOption: z
    .looseObject({
      maxObjects: count.default(10),
      maxIdle: count.optional(),
      maxWait: span.default(150_000),
      minEvictableIdleTimeMillis: count.optional(),
      minIdle: count.optional(),
    })
    .prefault({}),
  operationTimeout: z.partialRecord(z.enum(SYSTEM_OPERATIONS), span).default({}),
  resultsHandlerConfig: z
    .looseObject({
      enableFilteredResultsHandler: flag().prefault(true),
      enableCaseInsensitiveFilter: flag().prefault(false),
    })
    .prefault({}),
  syncFailureHandler: syncFailureHandler.optional(),
  objectTypes: z.record(z.string(), objectType).default({}),
  operationOptions: z.partialRecord(z.enum(SYSTEM_OPERATIONS), operationOption).default({}),
  systemActions: z.array(z.unknown()).optional(),
  producerBufferSize: z.unknown().optional(),
  connectorPoolingSupported: z.unknown().optional(),
});

/** `provisioner.openicf-<name>.json`: another system, how it is reached, and what of it is shown at `/system/<name>`. */
export const provisionerConfig = defineConfigFactory({ id: 'provisioner.openicf', schema });

export type ProvisionerConfig = z.output<typeof schema>;
export type SystemObjectConfig = z.output<typeof objectType>;
export type SystemPropertyConfig = z.output<typeof property>;
