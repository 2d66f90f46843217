import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { isStorableText } from '#resource/index.ts';
import { getTimeZone, localDateTimeToInstant, type TimeZone } from '#time/index.ts';
import { type CronExpression, type DaylightSaving, parseCron } from './cron/index.ts';

/** What a short `invokeService` is stored with. */
const SERVICE_PREFIX = 'svc.service.';

/** What servers of the field store a short name with, and show when a schedule is read back. */
const FIELD_PREFIX = /^org\.forgerock\.\w+\.(\w+)$/;

const MISFIRE_POLICIES = ['fireAndProceed', 'doNothing'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
const TYPES = ['cron', 'simple'] as const;

export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number];
export type InvokeLogLevel = (typeof LOG_LEVELS)[number];

/** A schedule as it is declared, stored and read back: the fields of the specification, none missing. */
export interface ScheduleDefinition {
  readonly enabled: boolean;
  readonly persisted: boolean;
  readonly misfirePolicy: MisfirePolicy;
  readonly schedule: string | null;
  readonly type: (typeof TYPES)[number];
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
  /** Who goes first among those of one instant: 1 to 10, higher first. */
  readonly priority?: number;
  /** Firings that are late are not made up one by one: the misfire policy holds as soon as the next one is due. */
  readonly coalesce?: boolean;
  /** Schedules of the same key never run at once; persisted ones in the whole cluster, others on their node. */
  readonly concurrencyKey?: string;
}

const LONGEST_KEY = 200;

/** What Quartz gives a trigger that does not say. */
export const NORMAL_PRIORITY = 5;

/** In the order in which they are shown. */
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
] as const satisfies readonly (keyof ScheduleDefinition)[];

/** The compiled side of a definition: what it needs to know when it fires. */
export interface Timing {
  readonly cron: CronExpression | null;
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
 * @throws BadRequestError with the field for anything that is not legal
 */
export function parseSchedule(json: JsonObject, defaults: { persisted: boolean }): ScheduleDefinition {
  const type = oneOf(json, 'type', TYPES, 'cron');
  const definition: ScheduleDefinition = {
    enabled: flag(json, 'enabled', true),
    persisted: flag(json, 'persisted', defaults.persisted),
    misfirePolicy:
      type === 'cron' ? oneOf(json, 'misfirePolicy', MISFIRE_POLICIES, 'fireAndProceed') : 'fireAndProceed',
    schedule: text(json, 'schedule'),
    type,
    invokeService: serviceName(json),
    invokeContext: objectOrNull(json, 'invokeContext'),
    invokeLogLevel: oneOf(json, 'invokeLogLevel', LOG_LEVELS, 'info', true),
    timeZone: text(json, 'timeZone'),
    startTime: text(json, 'startTime'),
    endTime: text(json, 'endTime'),
    concurrentExecution: flag(json, 'concurrentExecution', false),
    ...(flag(json, 'recoverable', false) ? { recoverable: true } : {}),
    ...(flag(json, 'transactional', true) ? {} : { transactional: false }),
    ...priority(json),
    ...(flag(json, 'coalesce', false) ? { coalesce: true } : {}),
    ...concurrencyKey(json),
  };
  if (type === 'cron' && (definition.schedule ?? '').trim() === '') {
    throw refuse(
      'schedule',
      "A schedule of the type 'cron' needs a cron expression",
      "Such as '0 0 2 * * ?'",
    );
  }
  const { startAt, endAt } = timingOf(definition);
  if (startAt !== null && endAt !== null && endAt < startAt) {
    throw refuse('endTime', `endTime ${definition.endTime} is before startTime ${definition.startTime}`);
  }
  return definition;
}

/** Members that a read adds, and those that the request gives besides. */
const SHOWN_MEMBERS = ['triggers', 'nextRunDate', 'previousRunDate', 'warnings', '_id', '_rev'];

/** Which members of a schedule have no meaning, a sentence each: most are misspelt. */
export function unknownMembers(json: JsonObject): string[] {
  const fields = [...SCHEDULE_FIELDS, ...FURTHER_FIELDS];
  const known = new Set<string>([...fields, ...SHOWN_MEMBERS]);
  return Object.keys(json)
    .filter((name) => !known.has(name) && !name.startsWith('_'))
    .map((name) => `'${name}' has no meaning here. ${didYouMean(name, fields) ?? ''}`.trim());
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
  const zone = inField('timeZone', () => getTimeZone(definition.timeZone ?? 'UTC'));
  const instant = (field: 'startTime' | 'endTime') => {
    const value = definition[field];
    return value === null ? null : inField(field, () => localDateTimeToInstant(value, zone));
  };
  return {
    cron: definition.type === 'cron' ? inField('schedule', () => compiled(definition.schedule ?? '')) : null,
    zone,
    startAt: instant('startTime'),
    endAt: instant('endTime'),
    dst,
  };
}

/** Expressions that were compiled lately: many schedules have the same. */
const expressions = new Map<string, CronExpression>();
const MAX_EXPRESSIONS = 2_000;

function compiled(text: string): CronExpression {
  let expression = expressions.get(text);
  if (expression === undefined) {
    expression = parseCron(text);
    if (expressions.size >= MAX_EXPRESSIONS) expressions.clear();
    expressions.set(text, expression);
  }
  return expression;
}

/** Definitions that were read lately, by their text: those that fire often come again and again. */
const definitions = new Map<string, ScheduleDefinition>();
const MAX_DEFINITIONS = 5_000;
/** Longer ones hold whole scripts, and are not kept. */
const MAX_DEFINITION_LENGTH = 4_096;

/** A definition as it is stored. Nobody may change what it answers, because others get the same. */
export function readDefinition(text: string): ScheduleDefinition {
  let definition = definitions.get(text);
  if (definition === undefined) {
    definition = JSON.parse(text) as ScheduleDefinition;
    if (text.length > MAX_DEFINITION_LENGTH) return definition;
    if (definitions.size >= MAX_DEFINITIONS) definitions.clear();
    definitions.set(text, definition);
  }
  return definition;
}

/** Whether a run that was interrupted may simply be done again. */
export function isRepeatable({ transactional, recoverable }: ScheduleDefinition): boolean {
  return transactional !== false || recoverable === true;
}

/** The name by which the service is looked up. */
export function shortServiceName(invokeService: string): string {
  const prefix = invokeService.startsWith(SERVICE_PREFIX);
  return prefix ? invokeService.slice(SERVICE_PREFIX.length) : invokeService.replace(FIELD_PREFIX, '$1');
}

function serviceName(json: JsonObject): string {
  const name = text(json, 'invokeService')?.trim() ?? '';
  if (name === '') {
    throw refuse('invokeService', 'A schedule needs an invokeService', "Such as 'script' or 'taskscanner'");
  }
  return longServiceName(name);
}

/** The name as it is stored. */
export function longServiceName(invokeService: string): string {
  const short = shortServiceName(invokeService);
  return short.includes('.') ? short : SERVICE_PREFIX + short;
}

function flag(json: JsonObject, field: string, byDefault: boolean): boolean {
  const value = json[field] ?? byDefault;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw refuse(field, `${field} is ${JSON.stringify(value)}, not a boolean`, 'Write true or false');
}

function priority(json: JsonObject): { priority?: number } {
  const value = json['priority'] ?? NORMAL_PRIORITY;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > 10) {
    throw refuse('priority', `priority is ${JSON.stringify(value)}`, 'A whole number from 1 to 10, 10 first');
  }
  return number === NORMAL_PRIORITY ? {} : { priority: number };
}

function concurrencyKey(json: JsonObject): { concurrencyKey?: string } {
  const key = text(json, 'concurrencyKey')?.trim() ?? '';
  if (key.length > LONGEST_KEY || !isStorableText(key)) {
    throw refuse('concurrencyKey', `concurrencyKey is '${key}'`, `A text of up to ${LONGEST_KEY} characters`);
  }
  return key === '' ? {} : { concurrencyKey: key };
}

function objectOrNull(json: JsonObject, field: string): JsonObject | null {
  const value = json[field] ?? null;
  if (value === null || isObject(value)) return value;
  throw refuse(field, `${field} is ${JSON.stringify(value)}, not an object`);
}

function text(json: JsonObject, field: string): string | null {
  const value = json[field] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw refuse(field, `${field} is ${JSON.stringify(value)}, not a text`);
}

function oneOf<T extends string>(
  json: JsonObject,
  field: string,
  legal: readonly T[],
  byDefault: T,
  ignoreCase = false,
): T {
  const value = text(json, field) ?? '';
  if (value.trim() === '') return byDefault;
  const found = legal.find((each) => each === (ignoreCase ? value.toLowerCase() : value));
  if (found !== undefined) return found;
  throw refuse(
    field,
    `${field} is '${value}'`,
    didYouMean(value, legal) ?? `One of ${legal.join(', ')} is expected`,
  );
}

/** Adds the field of the schedule to an error of a ground-floor room that knows nothing of schedules. */
function inField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    throw new BadRequestError(error.message, {
      field: `/${field}`,
      detail: error.detail,
      ...(error.detail === undefined ? { id: 'SCHED_INVALID' } : {}),
      cause: error,
    });
  }
}

function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCHED_INVALID',
    field: `/${field}`,
    ...(hint === undefined ? {} : { hint }),
  });
}
