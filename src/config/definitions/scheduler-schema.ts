import { z } from 'zod';
import { isObject, type JsonValue } from '#json/index.ts';
import { type Doubt, defineConfig } from '../config-definition.ts';
import { flag, propertyText, wholeNumber } from './scalar-schema.ts';

const threads = () => wholeNumber({ min: 1, max: 10_000 });

/** Anything that is no number above zero counts as absent, and the operator is told. */
const isAboveZero = (value: unknown) => Number(value) > 0;

const aboveZero = () =>
  propertyText()
    .transform((text) => (isAboveZero(text) ? Number(text) : undefined))
    .optional();

const LEDGER_DAYS = 90;
/** Two years: what is counted outlives the ledger. */
const COUNT_DAYS = 731;

const NUMBERS = {
  'org.quartz.threadPool.threadCount': aboveZero(),
  'org.quartz.jobStore.misfireThreshold': aboveZero(),
  'org.quartz.scheduler.idleWaitTime': aboveZero(),
  'org.quartz.scheduler.batchTriggerAcquisitionMaxCount': aboveZero(),
  'svc.ledger.keepDays': aboveZero().prefault(LEDGER_DAYS),
  'svc.ledger.keepCountsDays': aboveZero().prefault(COUNT_DAYS),
};

const CLOCK_RULES = ['quartz', 'smooth'] as const;

const schema = z
  .strictObject({
    threadPool: z
      .strictObject({
        threadCount: threads().prefault(10),
        services: z.record(z.string(), threads()).default({}),
      })
      .prefault({}),
    scheduler: z.strictObject({ executePersistentSchedules: flag().prefault(true) }).prefault({}),
    instanceId: z.string().optional(),
    advancedProperties: z
      .object({ ...NUMBERS, 'svc.cron.dst': propertyText().prefault('quartz') })
      .catchall(propertyText())
      .prefault({}),
  })
  .transform(({ threadPool, scheduler, advancedProperties: advanced }) => ({
    /** How many firings may run at once. */
    threadCount: advanced['org.quartz.threadPool.threadCount'] ?? threadPool.threadCount,
    /** How many of them runs of a service may take, by its name as it is written; of others as many as there are. */
    serviceThreads: threadPool.services,
    /** False: what is due is left to other nodes. */
    claims: scheduler.executePersistentSchedules,
    misfireThresholdMs: advanced['org.quartz.jobStore.misfireThreshold'],
    /** Longest time between two looks at the store. */
    idleWaitMs: advanced['org.quartz.scheduler.idleWaitTime'],
    /** Most firings that are claimed with one statement. */
    maxBatch: advanced['org.quartz.scheduler.batchTriggerAcquisitionMaxCount'],
    dst: CLOCK_RULES.find((rule) => rule === advanced['svc.cron.dst']) ?? 'quartz',
    /** How long firings are kept. */
    ledgerDays: advanced['svc.ledger.keepDays'] ?? LEDGER_DAYS,
    /** How long the counts of firings by the hour are kept. */
    countDays: advanced['svc.ledger.keepCountsDays'] ?? COUNT_DAYS,
  }));

function idleProperties(advanced: JsonValue): Doubt | undefined {
  const idle = Object.entries(isObject(advanced) ? advanced : {}).filter(([name, value]) =>
    name === 'svc.cron.dst'
      ? !CLOCK_RULES.some((rule) => rule === value)
      : Object.hasOwn(NUMBERS, name) && !isAboveZero(value),
  );
  if (idle.length === 0) return undefined;
  const named = idle.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`).join(', ');
  return {
    id: 'SCHEDULER_IDLE_PROPERTY',
    message: `${named} counts as absent`,
    hint: 'Numbers are above zero; "svc.cron.dst" is "quartz" or "smooth"',
  };
}

/**
 * `scheduler.json`. `threadPool.services` says of some services how many threads of the node their runs may take.
 * `advancedProperties` are strings whatever way they are written; other names among them are read by nothing.
 */
export const schedulerConfig = defineConfig({
  id: 'scheduler',
  schema,
  withoutEffect: { keys: ['instanceId'], because: 'cluster.json has the id of the node' },
  doubts: { advancedProperties: idleProperties },
  defaults: {
    scheduler: { executePersistentSchedules: '&{svc.scheduler.execute.persistent.schedules}' },
  },
});
