import { withSeals } from '#crypto/index.ts';
import type { Change, TraceEntry, UnitOfWork } from '#database/index.ts';
import { ResourceError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, sizeOf } from '#json/index.ts';
import type { Request } from '../request.ts';
import { parsePath } from '../resource-path.ts';
import type { ActionResult, Resource, Response } from '../response.ts';
import { resourceBody } from '../select-fields.ts';

interface ReportedChange extends JsonObject {
  readonly resource: string;
  readonly operation: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** Such as `gain` and `lose`: the first of those whom it is about; the numbers in `after` count all. */
  readonly [concern: string]: JsonValue;
}

/** What a dry run answers: the result, and everything that would have changed. */
export interface DryRunReport extends ActionResult {
  readonly content: {
    readonly dryRun: true;
    readonly result: JsonValue;
    readonly changes: ReportedChange[];
    readonly effects: JsonValue[];
    readonly log: JsonObject[];
    readonly trace: JsonObject[];
    /** Something was left out because there is too much of it. */
    readonly truncated?: true;
    /** Something was left out that the caller may not see. */
    readonly withheld?: true;
  };
}

/** How many entries of each list are shown. */
const MOST_ENTRIES = 10_000;
/** The most bytes that the changes show: those that come later are only named. */
const MOST_SHOWN_BYTES = 2 ** 22;

/** How many entries of each list are shown beside a failure. */
const MOST_TOLD = 100;

const NOTHING_BEFORE = { changes: 0, effects: 0, lines: 0 } as const;

/** How many of those whom a change is about are named, unless the request says it. */
const NAMED = 100;

export interface ReportOptions {
  /** How much of each the unit of work had when the dry run began. */
  readonly before?: { readonly changes: number; readonly effects: number; readonly lines: number };
  readonly changesLimit?: number | undefined;
  /** Whether steps of the trace show what they have made of what they changed. */
  readonly traceValues?: boolean | undefined;
}

export function dryRunReport(
  response: Response,
  unitOfWork: UnitOfWork,
  { before = NOTHING_BEFORE, changesLimit = NAMED, traceValues = false }: ReportOptions = {},
): DryRunReport {
  let isTruncated = false;
  const first = <T>(all: readonly T[], from = 0): readonly T[] => {
    if (all.length - from > MOST_ENTRIES) isTruncated = true;
    return all.slice(from, from + MOST_ENTRIES);
  };
  const shown = shownChanges(first(unitOfWork.changes, before.changes), changesLimit);
  if (shown.isTruncated) isTruncated = true;
  const { changes } = shown;
  const effects = first(unitOfWork.effects, before.effects).map((effect) => effect.what);
  const log = first(unitOfWork.log, before.lines).map((line) => ({ ...line }));
  const steps = shownSteps(first(unitOfWork.trace.entries), traceValues);
  if (steps.isTruncated) isTruncated = true;
  const { trace } = steps;
  return {
    kind: 'action',
    content: {
      dryRun: true,
      result: resultOf(response),
      changes,
      effects,
      log,
      trace,
      ...(isTruncated ? { truncated: true } : {}),
    },
  };
}

function resultOf(response: Response): JsonValue {
  if (response.kind === 'query') return response.result.map((row) => resourceBody(row));
  return response.kind === 'resource' ? resourceBody(response) : response.content;
}

/**
 * A failure, with all that was said, changed and gone through until then, for who may see that. What a script has chosen to
 * say instead of a detail stays as it is.
 */
export function rehearsedFailure(
  thrown: unknown,
  unitOfWork: UnitOfWork,
  { changesLimit = NAMED, traceValues = false }: Omit<ReportOptions, 'before'> = {},
): ResourceError {
  const error = toResourceError(thrown);
  const detail = error.detail ?? {};
  if (!isObject(detail)) return error;
  const { log, trace, changes } = unitOfWork;
  const dryRun: JsonObject = {
    at: placeOf({ ...positionOf(error.cause), ...detail }, trace.entries.at(-1)),
    changes: shownChanges(changes.slice(0, MOST_TOLD), changesLimit).changes,
    log: log.slice(-MOST_TOLD).map((line) => ({ ...line })),
    trace: shownSteps(trace.entries.slice(-MOST_TOLD), traceValues).trace,
    ...([changes, log, trace.entries].some((all) => all.length > MOST_TOLD) ? { truncated: true } : {}),
  };
  return new ResourceError(error.code, error.message, { detail: { ...detail, dryRun }, cause: error.cause });
}

/** Where it failed: in which step, if it was in one, and where in a script. */
function placeOf(detail: JsonObject, last: TraceEntry | undefined): JsonObject {
  const failed = last?.failed === true ? last : undefined;
  const place: [string, JsonValue | undefined][] = [
    ['step', failed?.step],
    ['resource', failed?.resource],
    ...['hook', 'script', 'line', 'column'].map((name): [string, JsonValue | undefined] => [
      name,
      detail[name],
    ]),
  ];
  return Object.fromEntries(place.filter((each): each is [string, JsonValue] => each[1] !== undefined));
}

/** Where a script failed that was sent with the request; its errors say nothing but what it ended with. */
function positionOf(cause: unknown): JsonObject {
  const position = cause instanceof Error && 'position' in cause ? cause.position : null;
  if (typeof position !== 'object' || position === null || !('line' in position && 'column' in position))
    return {};
  const { line, column } = position;
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
}

/** Values that come after so many bytes are left out. */
function shownSteps(entries: readonly TraceEntry[], withValues: boolean) {
  let bytes = 0;
  let isTruncated = false;
  const trace = entries.map(({ changed, values, ...entry }): JsonObject => {
    const step: JsonObject = { ...entry, ...(changed === undefined ? {} : { changed: [...changed] }) };
    if (!withValues || values === undefined) return step;
    bytes += sizeOf(values).bytes;
    if (bytes <= MOST_SHOWN_BYTES) return { ...step, values: withSeals(values) };
    isTruncated = true;
    return step;
  });
  return { trace, isTruncated };
}

/** What comes after so many bytes is only named. */
function shownChanges(changes: readonly Change[], changesLimit: number) {
  let bytes = 0;
  let isTruncated = false;
  const shown = changes.map((change): ReportedChange => {
    const all = shownChange(change, changesLimit);
    if (bytes <= MOST_SHOWN_BYTES) bytes += sizeOf(all).bytes;
    if (bytes <= MOST_SHOWN_BYTES) return all;
    isTruncated = true;
    return { ...all, before: null, after: null, truncated: true };
  });
  return { changes: shown, isTruncated };
}

/** What a dry run reports leaves the house. */
function shownChange(
  { resource, operation, before, after, privates, concerns = {} }: Change,
  changesLimit: number,
): ReportedChange {
  const shown = (value: JsonValue) =>
    withSeals(
      privates === undefined || !isObject(value)
        ? value
        : Object.fromEntries(Object.entries(value).filter(([name]) => !privates.has(name))),
    );
  const named = Object.entries(concerns).map(([concern, all]) => [concern, all.slice(0, changesLimit)]);
  return { resource, operation, before: shown(before), after: shown(after), ...Object.fromEntries(named) };
}

/** What only those may who may know all that scripts do. */
export const EVALUATION: Request = {
  method: 'action',
  path: ['script'],
  action: 'eval',
  content: null,
  fields: [],
  parameters: {},
};

/** What the filters leave of an answer to a request; undefined where they would not let it pass. */
type Show = (request: Request, answer: Resource) => Promise<Response | undefined>;

/**
 * The report as those are shown it who may not evaluate scripts: the answer as it would be in earnest, changed resources as they would read them, and nothing of
 * what scripts have said, sent and gone through.
 */
export async function shownReport(report: DryRunReport, answer: Response, show: Show): Promise<DryRunReport> {
  const changes: ReportedChange[] = [];
  const readable = new Map<string, boolean>();
  const mayRead = async (name: string): Promise<boolean> => {
    const isReadable = readable.get(name) ?? (await asRead(name, null, show)) !== undefined;
    readable.set(name, isReadable);
    return isReadable;
  };
  for (const change of report.content.changes) {
    const { resource, operation, ...concerns } = change;
    const before = await asRead(resource, change.before, show);
    const after = await asRead(resource, change.after, show);
    if (before === undefined || after === undefined) continue;
    const shown: Record<string, JsonValue> = {};
    for (const [name, paths] of Object.entries(concerns)) {
      if (!Array.isArray(paths)) shown[name] = paths;
      else {
        const own: JsonValue[] = [];
        for (const path of paths) if (await mayRead(String(path))) own.push(path);
        shown[name] = own;
      }
    }
    changes.push({ resource, operation, ...shown, before, after });
  }
  return {
    ...report,
    content: {
      ...report.content,
      result: resultOf(answer),
      changes,
      effects: [],
      log: [],
      trace: [],
      withheld: true,
    },
  };
}

/** @returns undefined where the caller may not read the resource */
async function asRead(name: string, content: JsonValue, show: Show): Promise<JsonValue | undefined> {
  const path = parsePath(name);
  const answer = await show(
    { method: 'read', path, fields: [], parameters: {} },
    { kind: 'resource', id: path.at(-1) ?? null, revision: null, content: content ?? {} },
  );
  if (answer?.kind !== 'resource') return undefined;
  return content === null ? null : answer.content;
}
