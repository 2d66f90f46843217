import { withSeals } from '#crypto/index.ts';
import type { Change, UnitOfWork } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, sizeOf } from '#json/index.ts';
import type { Request } from '../request.ts';
import { parsePath } from '../resource-path.ts';
import type { ActionResult, Response } from '../response.ts';
import { resourceBody } from '../select-fields.ts';

interface ReportedChange extends JsonObject {
  readonly resource: string;
  readonly operation: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
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

/** Of each list. */
const MOST_ENTRIES = 10_000;
/** Of what the changes show: those that come later are only named. */
const MOST_SHOWN_BYTES = 2 ** 22;

/** Of each list beside a failure. */
const MOST_TOLD = 100;

const NOTHING_BEFORE = { changes: 0, effects: 0, lines: 0 } as const;

/** @param before how much of each the unit of work had when the dry run began */
export function dryRunReport(
  response: Response,
  unitOfWork: UnitOfWork,
  before: { readonly changes: number; readonly effects: number; readonly lines: number } = NOTHING_BEFORE,
): DryRunReport {
  const result: JsonValue =
    response.kind === 'query'
      ? response.result.map((row) => resourceBody(row))
      : response.kind === 'resource'
        ? resourceBody(response)
        : response.content;
  let isTruncated = false;
  const first = <T>(all: readonly T[], from = 0): readonly T[] => {
    if (all.length - from > MOST_ENTRIES) isTruncated = true;
    return all.slice(from, from + MOST_ENTRIES);
  };
  let bytes = 0;
  const changes = first(unitOfWork.changes, before.changes).map((change): ReportedChange => {
    const shown = shownChange(change);
    if (bytes <= MOST_SHOWN_BYTES) bytes += sizeOf(shown).bytes;
    if (bytes <= MOST_SHOWN_BYTES) return shown;
    isTruncated = true;
    return { ...shown, before: null, after: null, truncated: true };
  });
  const effects = first(unitOfWork.effects, before.effects).map((effect) => effect.what);
  const log = first(unitOfWork.log, before.lines).map((line) => ({ ...line }));
  const trace = first(unitOfWork.trace).map((entry) => ({ ...entry }));
  return {
    kind: 'action',
    content: {
      dryRun: true,
      result,
      changes,
      effects,
      log,
      trace,
      ...(isTruncated ? { truncated: true } : {}),
    },
  };
}

/**
 * The failure of a hook, with all that was said and gone through until then, for who may see that; undefined of any other
 * failure.
 */
export function rehearsedFailure(error: unknown, { log, trace }: UnitOfWork): ResourceError | undefined {
  if (!(error instanceof ResourceError) || !isObject(error.detail as JsonValue)) return undefined;
  const detail = error.detail as JsonObject;
  if (detail['hook'] === undefined) return undefined;
  const last = <T>(all: readonly T[]) => all.slice(-MOST_TOLD).map((entry) => ({ ...entry }));
  return new ResourceError(error.code, error.message, {
    detail: { ...detail, log: last(log), trace: last(trace) },
    cause: error.cause,
  });
}

/** What a dry run reports leaves the house. */
function shownChange({ resource, operation, before, after, privates }: Change): ReportedChange {
  const shown = (value: JsonValue) =>
    withSeals(
      privates === undefined || !isObject(value)
        ? value
        : Object.fromEntries(Object.entries(value).filter(([name]) => !privates.has(name))),
    );
  return { resource, operation, before: shown(before), after: shown(after) };
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

/**
 * The report as those are shown it who may not evaluate scripts: changed resources that they may read, and nothing of what
 * scripts have said, sent and gone through.
 *
 * @param mayAsk whether the access rules grant the caller a request
 */
export async function shownReport(
  report: DryRunReport,
  mayAsk: (request: Request) => Promise<boolean>,
): Promise<DryRunReport> {
  const changes: ReportedChange[] = [];
  const readable = new Map<string, boolean>();
  for (const change of report.content.changes) {
    const { resource } = change;
    const mayRead =
      readable.get(resource) ??
      (await mayAsk({ method: 'read', path: parsePath(resource), fields: [], parameters: {} }));
    readable.set(resource, mayRead);
    if (mayRead) changes.push(change);
  }
  return {
    ...report,
    content: { ...report.content, changes, effects: [], log: [], trace: [], withheld: true },
  };
}
