import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { flag, propertyText, wholeNumber } from './scalar-schema.ts';

const threads = () => wholeNumber({ min: 1, max: 10_000 });

const schema = z.strictObject({
  threadPool: z
    .strictObject({
      threadCount: threads().default(10),
      services: z.record(z.string(), threads()).default({}),
    })
    .prefault({}),
  scheduler: z.strictObject({ executePersistentSchedules: flag().default(true) }).prefault({}),
  instanceId: z.string().optional(),
  advancedProperties: z.record(z.string(), propertyText()).default({}),
});

/**
 * `scheduler.json`. `threadPool.services` says of some services how many threads of the node their runs may take.
 * `advancedProperties` are strings whatever way they are written.
 */
export const schedulerConfig = defineConfig({
  id: 'scheduler',
  schema,
  withoutEffect: { keys: ['instanceId'], because: 'cluster.json has the id of the node' },
  defaults: {
    scheduler: { executePersistentSchedules: '&{svc.scheduler.execute.persistent.schedules}' },
  },
});
