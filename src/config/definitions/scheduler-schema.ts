import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { flag, propertyText, wholeNumber } from './scalar-schema.ts';

const schema = z.strictObject({
  threadPool: z.strictObject({ threadCount: wholeNumber({ min: 1, max: 10_000 }).default(10) }).prefault({}),
  scheduler: z.strictObject({ executePersistentSchedules: flag().default(true) }).prefault({}),
  advancedProperties: z.record(z.string(), propertyText()).default({}),
});

/** `scheduler.json`. `advancedProperties` are strings whatever way they are written. */
export const schedulerConfig = defineConfig({
  id: 'scheduler',
  schema,
  defaults: {
    scheduler: { executePersistentSchedules: '&{svc.scheduler.execute.persistent.schedules}' },
  },
});

export type SchedulerConfig = z.output<typeof schema>;
