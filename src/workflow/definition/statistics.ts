import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { bodyOf, type Context, namesOf, readerOf, textMember } from '#resource/index.ts';
import { keeps } from '../history/history-level.ts';
import { readInstant } from '../query/parameter.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { CompiledDefinition } from './definitions.ts';
import { listStatistics, MOST_INSTANCES } from './statistics-repository.ts';

const DAY_MS = 86_400_000;

/** The time that is told of. */
export const STATISTICS = bodyOf({
  from: textMember('Its beginning, such as 2026-08-02T02:00:00Z'),
  to: textMember('Its end'),
});
const MEMBERS = namesOf(STATISTICS);

/**
 * What goes on at each element of a definition now, and what went on in a time.
 *
 * @param body `{from, to}`, ISO times, which may be left out: the last thirty days
 * @throws BadRequestError `WORKFLOW_BAD_PARAMETER`, `WORKFLOW_BAD_FIELD`
 */
export async function elementStatistics(
  platform: WorkflowPlatform,
  context: Context,
  { row, process }: CompiledDefinition,
  body: JsonValue,
): Promise<JsonObject> {
  const span = readSpan(body, platform.now());
  const rows = await listStatistics(await readerOf(platform, context), row.id, span);
  const { history } = platform.settings();
  return {
    ...span,
    elements: rows.map(({ element, running, failed, waiting, entered, left, p50, p95, max }) => {
      const node = process.nodes.get(element);
      const durationMs = { p50, p95, max };
      const now = { running, failed, waiting };
      return { element, name: node?.name ?? null, ...now, entered, left, durationMs };
    }),
    ...(rows[0]?.is_cut === true ? { truncated: true, mostInstances: MOST_INSTANCES } : {}),
    ...(keeps(history, 'activity')
      ? {}
      : {
          hint: `What went on is kept from the history level "activity" of workflow.json on; it is "${history}"`,
        }),
  };
}

function readSpan(body: JsonValue, now: number): { from: string; to: string } {
  if (body !== null && !isObject(body)) throw refuse('', 'The body is no object');
  const given = body ?? {};
  const [unknown] = Object.keys(given).filter((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw refuse(unknown, `There is no '${unknown}'`, didYouMean(unknown, MEMBERS));
  const to = timeOf(given, 'to') ?? new Date(now).toISOString();
  const from = timeOf(given, 'from') ?? new Date(Date.parse(to) - 30 * DAY_MS).toISOString();
  if (from >= to) throw refuse('from', `from ${from} is not before to ${to}`);
  return { from, to };
}

function timeOf(body: JsonObject, member: 'from' | 'to'): string | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return readInstant(member, value);
  throw refuse(member, `${member} must be a text, not ${JSON.stringify(value).slice(0, 100)}`);
}

const EXAMPLE = 'Such as {"from": "2026-08-01T00:00:00Z", "to": "2026-08-02T00:00:00Z"}';

function refuse(field: string, message: string, hint = EXAMPLE): BadRequestError {
  return new BadRequestError(message, { id: 'WORKFLOW_BAD_FIELD', field: `/${field}`, hint });
}
