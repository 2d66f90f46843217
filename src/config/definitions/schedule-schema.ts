import { z } from 'zod';
import { defineConfigFactory } from '../config-definition.ts';
import { filledText, flag, jsonObject, optionalText, wholeNumber } from './scalar-schema.ts';

const schema = z.strictObject({
  enabled: flag().prefault(true),
  persisted: flag().prefault(false),
  concurrentExecution: flag().prefault(false),
  recoverable: flag().prefault(false),
  transactional: flag().prefault(true),
  coalesce: flag().prefault(false),
  concurrencyKey: optionalText(),
  priority: wholeNumber({ min: 1, max: 10 }).optional(),
  repeatInterval: z.union([z.number(), z.string()]).nullable().optional(),
  repeatCount: z.union([z.number(), z.string()]).nullable().optional(),
  type: z.string().default('cron'),
  schedule: optionalText(),
  startTime: optionalText(),
  endTime: optionalText(),
  timeZone: optionalText(),
  misfirePolicy: z.string().default('fireAndProceed'),
  invokeService: filledText(),
  invokeContext: jsonObject().nullable().default(null),
  invokeLogLevel: z.string().default('info'),
});

/** `schedule-<name>.json`: types and defaults only. What the values mean is for the scheduler to check. */
export const scheduleConfig = defineConfigFactory({ id: 'schedule', schema, takesUnknownKeys: true });
