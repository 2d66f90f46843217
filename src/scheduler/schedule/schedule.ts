import { LRUCache } from 'lru-cache';
import { INVOKE_LOG_LEVELS, MISFIRE_POLICIES, SCHEDULE_PRIORITY, SCHEDULE_TYPES } from '#config/index.ts';
import { type CronExpression, type DaylightSaving, parseCron } from '#cron/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { longServiceName } from '#platform/index.ts';
import { isStorableText } from '#resource/index.ts';
import { getTimeZone, localDateTimeToInstant, type TimeZone } from '#time/index.ts';
import { FieldReader, refuse } from './field-reader.ts';
import { type Repetition, readRepetition } from './repetition.ts';

export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number];
export type InvokeLogLevel = (typeof INVOKE_LOG_LEVELS)[number];

/** A schedule as it is declared, stored and read back: the fields of the specification, none missing. */
export interface ScheduleDefinition {
  readonly enabled: boolean;
  readonly persisted: boolean;
  readonly misfirePolicy: MisfirePolicy;
  readonly schedule: string | null;
  readonly type: (typeof SCHEDULE_TYPES)[number];
  readonly invokeService: string;
  readonly invokeContext: JsonValue;
  readonly invokeLogLevel: InvokeLogLevel;
  readonly timeZone: string | null;
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly concurrentExecution: boolean;
  /** Whether a run outside a unit of work is done again after its node died. A run inside one always is. */
  readonly recoverable?: boolean;
  /** False: each request of the run is a unit of work of its own, for long batch jobs. */
  readonly transactional?: boolean;
  /** Decides which schedule goes first among those due at the same instant: 1 to 10, higher first. */
  readonly priority?: number;
  /** Firings that are late are not made up one by one: the misfire policy holds as soon as the next one is due. */
  readonly coalesce?: boolean;
  /** Schedules of the same key never run at once; persisted ones in the whole cluster, others on their node. */
  readonly concurrencyKey?: string;
  /** Milliseconds between two firings of the type simple. It fires once unless this and `repeatCount` are both there. */
  readonly repeatInterval?: number;
  /** How often it fires after the first time; -1 for ever. */
  readonly repeatCount?: number;
  /** Where a repeating one has no startTime: the time that it counts from, epoch ms. Registering sets it. */
  readonly firstAt?: number;
  /** Where its invokeContext is encrypted as it is stored; absent of one that is open. */
  readonly sealed?: readonly string[];
}

const LONGEST_KEY = 200;

/** What Quartz gives a trigger that does not say. */
export const NORMAL_PRIORITY = 5;

/** The members of a schedule, in the order in which they are shown. */
export const SCHEDULE_FIELDS = [
  'enabled',
  'persisted',
  'type',
  'schedule',
  'timeZone',
  'startTime',
  'endTime',
  'misfirePolicy',
  'concurrentExecution',
  'invokeService',
  'invokeContext',
  'invokeLogLevel',
] as const satisfies readonly (keyof ScheduleDefinition)[];

/** Fields beyond those of the field; they are stored and shown only where a schedule uses them. */
export const FURTHER_FIELDS = [
  'recoverable',
  'transactional',
  'priority',
  'coalesce',
  'concurrencyKey',
  'repeatInterval',
  'repeatCount',
] as const satisfies readonly (keyof ScheduleDefinition)[];

/** The compiled side of a definition: what it needs to know when it fires. */
export interface Timing {
  /** Null of the type simple. */
  readonly cron: CronExpression | null;
  /** Null where it fires once, or by a cron expression. */
  readonly repetition: Repetition | null;
  readonly zone: TimeZone;
  /** Epoch ms. */
  readonly startAt: number | null;
  /** Epoch ms; a firing exactly then still happens. */
  readonly endAt: number | null;
  readonly dst: DaylightSaving;
}

/**
 * Reads a schedule from a request or a file: defaults filled in, strings taken for booleans where the field
 * takes them, a short service name prefixed. Members that a read adds (`triggers`, `nextRunDate`, …) and unknown
 * ones are left out.
 *
 * @throws BadRequestError with the field for anything that is not legal, and all of it in `detail.mistakes`
 */
export function parseSchedule(json: JsonObject, defaults: { persisted: boolean }): ScheduleDefinition {
  const fields = new FieldReader(json);
  const type = fields.oneOf('type', SCHEDULE_TYPES, 'cron');
  const repetition = type === 'simple' ? readRepetition(fields) : {};
  const firesOnce = type === 'simple' && repetition.repeatCount === undefined;
  const definition: ScheduleDefinition = {
    enabled: fields.flag('enabled'),
    persisted: fields.flag('persisted', defaults.persisted),
    misfirePolicy: firesOnce
      ? 'fireAndProceed'
      : fields.oneOf('misfirePolicy', MISFIRE_POLICIES, 'fireAndProceed'),
    schedule: fields.text('schedule'),
    type,
    invokeService: serviceName(fields),
    invokeContext: fields.objectOrNull('invokeContext'),
    invokeLogLevel: fields.oneOf('invokeLogLevel', INVOKE_LOG_LEVELS, 'info', true),
    timeZone: fields.text('timeZone'),
    startTime: fields.text('startTime'),
    endTime: fields.text('endTime'),
    concurrentExecution: fields.flag('concurrentExecution'),
    ...(fields.flag('recoverable') ? { recoverable: true } : {}),
    ...(fields.flag('transactional') ? {} : { transactional: false }),
    ...priority(fields),
    ...(fields.flag('coalesce') ? { coalesce: true } : {}),
    ...concurrencyKey(fields),
    ...repetition,
  };
  checkTimes(definition, fields);
  fields.finish();
  return definition;
}

function checkTimes(definition: ScheduleDefinition, fields: FieldReader): void {
  if (definition.type === 'cron') {
    fields.attempt(() => cronOf(definition), null);
  }
  const zone = fields.attempt(() => zoneOf(definition), undefined);
  if (zone === undefined) return;
  const startAt = fields.attempt(() => instantOf(definition, 'startTime', zone), null);
  const endAt = fields.attempt(() => instantOf(definition, 'endTime', zone), null);
  fields.attempt(() => {
    if (startAt === null || endAt === null || endAt >= startAt) return;
    throw refuse('endTime', `endTime ${definition.endTime} is before startTime ${definition.startTime}`);
  }, undefined);
}

/** Members that a read adds, and those that the request gives besides. */
const SHOWN_MEMBERS = [
  'words',
  'nodeId',
  'triggers',
  'nextRunDate',
  'previousRunDate',
  'warnings',
  '_id',
  '_rev',
];

/** The members of a schedule that have no meaning, a sentence each: most are misspelt. */
export function unknownMembers(json: JsonObject): string[] {
  const fields = [...SCHEDULE_FIELDS, ...FURTHER_FIELDS];
  const known = new Set<string>([...fields, ...SHOWN_MEMBERS]);
  return Object.keys(json)
    .filter((name) => !known.has(name) && !/^[_#$]/.test(name))
    .map((name) => `'${name}' has no meaning here. ${didYouMean(name, fields) ?? ''}`.trim());
}

/** Intervals that are written and will not be kept to. */
export function idleInterval({ repeatInterval }: JsonObject, { type, ...own }: ScheduleDefinition): string[] {
  if (own.repeatInterval !== undefined || Number(repeatInterval ?? 0) === 0) return [];
  return type === 'simple'
    ? ["'repeatInterval' has no effect: without a 'repeatCount' it fires once. -1 lets it fire for ever"]
    : ["'repeatInterval' has no effect: only schedules of the type 'simple' have one"];
}

/** What was compiled of definitions that are still in use: each firing asks for its next time. */
const timings = {
  quartz: new WeakMap<ScheduleDefinition, Timing>(),
  smooth: new WeakMap<ScheduleDefinition, Timing>(),
};

/** The times of a definition, compiled. @throws BadRequestError when one cannot be read */
export function timingOf(definition: ScheduleDefinition, dst: DaylightSaving = 'quartz'): Timing {
  let timing = timings[dst].get(definition);
  if (timing === undefined) {
    timing = compile(definition, dst);
    timings[dst].set(definition, timing);
  }
  return timing;
}

function compile(definition: ScheduleDefinition, dst: DaylightSaving): Timing {
  const zone = zoneOf(definition);
  const { type, repeatInterval, repeatCount, firstAt } = definition;
  return {
    cron: type === 'cron' ? cronOf(definition) : null,
    repetition:
      repeatInterval === undefined || repeatCount === undefined
        ? null
        : { everyMs: repeatInterval, count: repeatCount === -1 ? Infinity : repeatCount },
    zone,
    startAt: instantOf(definition, 'startTime', zone) ?? firstAt ?? null,
    endAt: instantOf(definition, 'endTime', zone),
    dst,
  };
}

function zoneOf({ timeZone }: ScheduleDefinition): TimeZone {
  return inField('timeZone', () => getTimeZone(timeZone ?? 'UTC'));
}

function instantOf(definition: ScheduleDefinition, field: 'startTime' | 'endTime', zone: TimeZone) {
  const value = definition[field];
  return value === null ? null : inField(field, () => localDateTimeToInstant(value, zone));
}

function cronOf({ schedule }: ScheduleDefinition): CronExpression {
  const text = schedule ?? '';
  if (text.trim() !== '') return inField('schedule', () => compiled(text));
  throw refuse('schedule', "A schedule of the type 'cron' needs a cron expression", "Such as '0 0 2 * * ?'");
}

/** Expressions that were compiled lately: many schedules have the same. */
const expressions = new LRUCache<string, CronExpression>({ max: 2_000 });

function compiled(text: string): CronExpression {
  let expression = expressions.get(text);
  if (expression === undefined) {
    expression = parseCron(text);
    expressions.set(text, expression);
  }
  return expression;
}

/** Definitions that were read lately, by their text: those that fire often come again and again. */
const definitions = new LRUCache<string, ScheduleDefinition>({ max: 5_000 });
/** Longer ones hold whole scripts, and are not kept. */
const MAX_DEFINITION_LENGTH = 4_096;

/** A definition as it is stored. Nobody may change what it answers, because others get the same. */
export function readDefinition(text: string): ScheduleDefinition {
  let definition = definitions.get(text);
  if (definition === undefined) {
    definition = JSON.parse(text) as ScheduleDefinition;
    if (text.length > MAX_DEFINITION_LENGTH) return definition;
    definitions.set(text, definition);
  }
  return definition;
}

/** Whether a run that was interrupted may simply be done again. */
export function isRepeatable({ transactional, recoverable }: ScheduleDefinition): boolean {
  return transactional !== false || recoverable === true;
}

function serviceName(fields: FieldReader): string {
  const name = fields.text('invokeService')?.trim() ?? '';
  return fields.attempt(() => {
    if (name !== '') return longServiceName(name);
    throw refuse('invokeService', 'A schedule needs an invokeService', "Such as 'script' or 'taskscanner'");
  }, name);
}

function priority(fields: FieldReader): { priority?: number } {
  const { min, max } = SCHEDULE_PRIORITY;
  const hint = `A whole number from ${min} to ${max}, ${max} first`;
  const number = fields.wholeNumber('priority', NORMAL_PRIORITY, [min, max], hint);
  return number === NORMAL_PRIORITY ? {} : { priority: number };
}

function concurrencyKey(fields: FieldReader): { concurrencyKey?: string } {
  const key = fields.text('concurrencyKey')?.trim() ?? '';
  return fields.attempt(() => {
    if (key.length > LONGEST_KEY || !isStorableText(key)) {
      throw refuse(
        'concurrencyKey',
        `concurrencyKey is '${key}'`,
        `A text of up to ${LONGEST_KEY} characters`,
      );
    }
    return key === '' ? {} : { concurrencyKey: key };
  }, {});
}

/** Adds the field of the schedule to an error of a ground-floor room that knows nothing of schedules. */
function inField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    throw new BadRequestError(error.message, {
      field: `/${field}`,
      ...(error.detail === undefined ? { id: 'SCHED_INVALID' } : { detail: error.detail }),
      cause: error,
    });
  }
}
