import {
  equalJson,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';
import { parsePath } from '#resource/index.ts';
import type { AuditRow } from './audit-repository.ts';
import { HIDDEN } from './changed-fields.ts';

/** What takes back all that some entries tell of one object or of one edge, by its path. */
export interface Reversal {
  readonly resource: string;
  readonly kind: 'object' | 'edge';
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** What was changed, and can be changed back. */
  readonly fields: readonly string[];
}

/** What stays as it is, and why. */
export interface Left extends JsonObject {
  readonly resource: string;
  readonly why: string;
}

export interface RevertPlan {
  readonly reversals: readonly Reversal[];
  readonly left: readonly Left[];
  /** What no step can take back, because the trail does not hold it. */
  readonly unknown: readonly Left[];
}

/** @param entries of changes, the oldest first */
export function planRevert(entries: readonly AuditRow[]): RevertPlan {
  const reversals: Reversal[] = [];
  const left: Left[] = [];
  const unknown: Left[] = [];
  for (const [resource, all] of Map.groupBy(entries, ({ event }) => String(event['objectId']))) {
    const own = all.filter(({ event }) => event['handMade'] !== true);
    if (own.length < all.length) {
      left.push({ resource, why: 'Somebody has written the entry by hand, and it may never have happened' });
    }
    if (own.length === 0) continue;
    // Made anew, a key would be another one that nobody has seen; a session is ended by whoever may end it.
    if (WAYS_IN.has(parsePath(resource)[0] ?? '')) {
      left.push({ resource, why: 'It is a way in' });
      continue;
    }
    // Made anew, it would belong to whoever takes it back, and its name alone does not say whose it was.
    if (own.some(({ event }) => 'owner' in event)) {
      left.push({ resource, why: 'It belongs to one person alone' });
      continue;
    }
    if (own.some(({ event }) => !('before' in event))) {
      unknown.push({ resource, why: 'The trail has the names of what was changed, and no values' });
      continue;
    }
    const before = sideOf(own[0]?.event['before']);
    const after = sideOf(own.at(-1)?.event['after']);
    if (before === null && after === null) continue;
    if (follows(before, after)) {
      left.push({ resource, why: 'It follows from conditions and relationships' });
      continue;
    }
    const fields = before === null ? [] : fieldsOf(resource, { before, after }, own, left);
    const kind = isEdge(resource, before ?? after) ? 'edge' : 'object';
    if (kind === 'edge' || before === null || after === null || fields.length > 0) {
      reversals.push({ resource, kind, before, after, fields });
    }
  }
  return { reversals, left, unknown };
}

const WAYS_IN: ReadonlySet<string> = new Set(['apikey', 'session']);

function fieldsOf(
  resource: string,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject | null },
  entries: readonly AuditRow[],
  left: Left[],
): readonly string[] {
  const named =
    after === null
      ? Object.keys(before).map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      : entries.flatMap(({ event }) => namesIn(event['changedFields']));
  const fields: string[] = [];
  for (const field of new Set(named)) {
    const pointer = parsePointer(field);
    const [then, now] = [getAt(before, pointer), after === null ? undefined : getAt(after, pointer)];
    const why = whyLeft(then) ?? whyLeft(now);
    if (why !== undefined) left.push({ resource, field, why });
    else if (after === null || !equalJson(then ?? null, now ?? null)) fields.push(field);
  }
  return fields;
}

/** What the trail does not show cannot be had back from it. */
function whyLeft(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  if (text.includes(JSON.stringify(HIDDEN))) return 'The trail shows no secrets';
  return /"\(\d+ bytes left out\)"/.test(text) ? 'It was too large for the trail' : undefined;
}

function sideOf(value: JsonValue | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

function namesIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Edges that a condition gives, and what is told of many objects at once. */
function follows(before: JsonObject | null, after: JsonObject | null): boolean {
  return [before, after].some((side) => {
    if (side === null) return false;
    if ('conditionalGrants' in side || 'derived' in side) return !('_id' in side);
    const properties = side['_refProperties'];
    return isObject(properties) && properties['_grantType'] === 'conditional';
  });
}

function isEdge(resource: string, side: JsonObject | null): boolean {
  return (
    side !== null &&
    '_ref' in side &&
    isObject(side['_refProperties'] ?? null) &&
    parsePath(resource).length > 3
  );
}

export function pointersOf({ fields }: Reversal): readonly (readonly [string, Pointer])[] {
  return fields.map((field) => [field, parsePointer(field)] as const);
}
