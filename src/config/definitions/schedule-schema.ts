import { z } from 'zod';
import { defineConfigFactory } from '../config-definition.ts';
import { filledText, flag, jsonObject, optionalText, wholeNumber } from './scalar-schema.ts';

export const SCHEDULE_TYPES = ['cron', 'simple'] as const;
export const MISFIRE_POLICIES = ['fireAndProceed', 'doNothing'] as const;
/** Compared ignoring case. */
export const INVOKE_LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
/** 10 goes first. */
export const SCHEDULE_PRIORITY = { min: 1, max: 10 } as const;

/** What a flag of a schedule that does not say means. `persisted` is the default of a file; over REST it is true. */
export const SCHEDULE_FLAGS = {
  enabled: true,
  persisted: false,
  concurrentExecution: false,
  recoverable: false,
  transactional: true,
  coalesce: false,
} as const;

/** Editors offer the words; the scheduler refuses others, with what is wrong with the rest of the schedule. */
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.string().default(words[0]).meta({ enum: words });

const schema = z.strictObject({
  enabled: flag().prefault(SCHEDULE_FLAGS.enabled),
  persisted: flag().prefault(SCHEDULE_FLAGS.persisted),
  concurrentExecution: flag().prefault(SCHEDULE_FLAGS.concurrentExecution),
  recoverable: flag().prefault(SCHEDULE_FLAGS.recoverable),
  transactional: flag().prefault(SCHEDULE_FLAGS.transactional),
  coalesce: flag().prefault(SCHEDULE_FLAGS.coalesce),
  concurrencyKey: optionalText(),
  priority: wholeNumber(SCHEDULE_PRIORITY).optional(),
  repeatInterval: z.union([z.number(), z.string()]).nullable().optional(),
  repeatCount: z.union([z.number(), z.string()]).nullable().optional(),
  type: oneOf(SCHEDULE_TYPES),
  schedule: optionalText(),
  startTime: optionalText(),
  endTime: optionalText(),
  timeZone: optionalText(),
  misfirePolicy: oneOf(MISFIRE_POLICIES),
  invokeService: filledText(),
  invokeContext: jsonObject().nullable().default(null),
  invokeLogLevel: z.string().default('info').meta({ examples: INVOKE_LOG_LEVELS }),
});

export type ScheduleConfig = z.output<typeof schema>;

/**
 * `schedule-<name>.json`. Cron expressions, times, zones and what the service is given are for the scheduler to check, which
 * reads schedules that come over REST by the same words.
 */
export const scheduleConfig = defineConfigFactory({ id: 'schedule', schema, takesUnknownKeys: true });
