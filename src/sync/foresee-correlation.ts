import { formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  Connection,
  compileFilter,
  internalContext,
  NO_PAGING,
  pointersOf,
  type QueryFilter,
  resourceBody,
  type WriteContext,
} from '#resource/index.ts';
import { questionFor } from './correlate.ts';
import { namesRead } from './deliver-source.ts';
import type { Foreseen } from './foreseen.ts';
import type { Mapping } from './mapping.ts';
import { findWaiting } from './outbox-repository.ts';
import { isOutside } from './outside.ts';
import type { Scope, SyncPlatform } from './stage.ts';
import { findStamp } from './state-repository.ts';

/** Targets that one query asks for. */
const ASKED_AT_ONCE = 100;
/** How many targets may be like one source; a source that is like more of them is asked for by itself. */
const MOST_ALIKE = 10;

/**
 * Asks for the targets of many sources at a time, where what they ask for is that properties are equal: one query for a hundred of them.
 * What is asked otherwise is not foreseen, and asked when its turn comes.
 *
 * @param ids of sources that are not linked
 */
export async function foreseeCorrelations(
  platform: SyncPlatform,
  outer: WriteContext,
  mapping: Mapping,
  qualifier: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Foreseen>> {
  const context = { ...internalContext(outer), unitOfWork: outer.unitOfWork, rehearsed: true };
  const scope = { platform, mapping, context, qualifier };
  const asked = new Map<string, Omit<Foreseen, 'ids'>>();
  for (const source of await sourcesOf(scope, ids)) {
    const filter = (await questionFor(scope, source))?.queryFilter ?? null;
    if (filter === null || !isOfEquals(filter)) continue;
    const names = pointersOf(filter).map(([name]) => name);
    if (!platform.mappings.isStored(mapping.target, names)) continue;
    asked.set(String(source['_id']), { source, filter });
  }
  const foreseen = new Map<string, Foreseen>();
  const byPointer = Map.groupBy(asked, ([, { filter }]) => formatPointer(firstOf(filter).pointer));
  for (const group of byPointer.values()) {
    for (let at = 0; at < group.length; at += ASKED_AT_ONCE) {
      for (const [id, one] of await answered(scope, group.slice(at, at + ASKED_AT_ONCE)))
        foreseen.set(id, one);
    }
  }
  return foreseen;
}

/** A source that was read with others, and what tells later whether nobody has brought a newer state of it to its targets. */
export interface KnownSource {
  readonly source: JsonObject;
  readonly stamp: string;
}

/**
 * Sources by their ids, as whoever reads one by itself is shown it; those that are gone are not there, and none of another system that waits
 * for its delivery.
 */
export async function readSources(
  platform: SyncPlatform,
  outer: WriteContext,
  mapping: Mapping,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownSource>> {
  const context = { ...internalContext(outer), unitOfWork: outer.unitOfWork, rehearsed: true };
  const isOther = isOutside(mapping.source);
  const db = await outer.unitOfWork.reader();
  const stamp = isOther ? await findStamp(db, mapping.source) : '';
  const waiting = isOther ? await findWaiting(db, mapping.name, ids) : [];
  const others = new Set(waiting.map(({ source_id }) => source_id));
  const wanted = ids.filter((id) => !others.has(id));
  // A system is asked by a filter that has each of them.
  const atOnce = isOther ? ASKED_AT_ONCE : wanted.length;
  const sources = new Map<string, KnownSource>();
  for (let at = 0; at < wanted.length; at += atOnce) {
    const some = wanted.slice(at, at + atOnce);
    for (const source of await sourcesOf({ platform, mapping, context, qualifier: '' }, some))
      sources.set(String(source['_id']), { source, stamp: isOther ? stamp : String(source['_rev']) });
  }
  return sources;
}

async function sourcesOf(scope: Scope, ids: readonly string[]): Promise<readonly JsonObject[]> {
  const { platform, context, mapping } = scope;
  // A listing of a system has revisions where they are asked for.
  const names = [...(isOutside(mapping.source) ? ['_rev'] : []), ...namesRead(mapping)];
  const found = await new Connection(platform.resources, context).query(mapping.source, {
    queryFilter: { kind: 'in', pointer: ['_id'], values: ids },
    fields: [['*'], ...names.map((name) => [name])],
    paging: { ...NO_PAGING, pageSize: ids.length },
  });
  return found.result.map(resourceBody).filter(isObject);
}

type Asked = readonly (readonly [string, Omit<Foreseen, 'ids'>])[];

async function answered(scope: Scope, group: Asked): Promise<ReadonlyMap<string, Foreseen>> {
  const { platform, context, mapping } = scope;
  const [first] = group;
  const none = new Map<string, Foreseen>();
  if (first === undefined) return none;
  const pointers = group.flatMap(([, { filter }]) => pointersOf(filter));
  const names = [...new Set(pointers.map(([name = '']) => name))];
  const { pointer } = firstOf(first[1].filter);
  const [name = ''] = pointer;
  const page = await new Connection(platform.resources, context).query(mapping.target, {
    queryFilter: {
      kind: 'in',
      pointer,
      values: [...new Set(group.map(([, { filter }]) => firstOf(filter).value))],
    },
    fields: [['_id'], ...names.map((each) => [each])],
    paging: { ...NO_PAGING, pageSize: ASKED_AT_ONCE * MOST_ALIKE },
  });
  if (page.pagedResultsCookie !== null) return none;
  const targets = page.result.map(resourceBody).filter(isObject);
  const byValue = Map.groupBy(
    targets.flatMap((target) => valuesAt(target, name).map((value) => [value, target] as const)),
    ([value]) => value,
  );
  const known = new Set<JsonValue>();
  const foreseen = group.map(([id, one]): [string, Foreseen] => {
    const alike = byValue.get(firstOf(one.filter).value)?.map(([, target]) => target) ?? [];
    for (const target of alike) known.add(target['_id'] ?? null);
    const matches = compileFilter(one.filter);
    return [id, { ...one, ids: [...new Set(alike.filter(matches).map(({ _id }) => String(_id)))] }];
  });
  // Another system may compare otherwise than memory does: for it one of them was like somebody, and nobody knows whom.
  return targets.some(({ _id = null }) => !known.has(_id)) ? none : new Map(foreseen);
}

/** What a first comparison may meet. */
function valuesAt(target: JsonObject, name: string): readonly JsonValue[] {
  const value = target[name] ?? null;
  return Array.isArray(value) ? value : [value];
}

type Equals = Extract<QueryFilter, { kind: 'compare' }>;

/** Whether it asks for properties by their names, and that they are equal to a text. */
function isOfEquals(filter: QueryFilter): boolean {
  if (filter.kind === 'and') return filter.filters.length > 0 && filter.filters.every(isEqual);
  return isEqual(filter);
}

function isEqual(filter: QueryFilter): filter is Equals {
  const { kind } = filter;
  return (
    kind === 'compare' &&
    filter.operator === 'eq' &&
    filter.ignoresCase !== true &&
    filter.pointer.length === 1 &&
    typeof filter.value === 'string'
  );
}

function firstOf(filter: QueryFilter): Equals {
  const first = filter.kind === 'and' ? filter.filters[0] : filter;
  if (first !== undefined && isEqual(first)) return first;
  throw new TypeError('The filter does not ask whether properties are equal');
}
