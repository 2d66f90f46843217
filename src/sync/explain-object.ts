import type { Db } from '#database/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { type LinkedPair, listPairs } from './linked-pair.ts';
import type { Mapping } from './mapping.ts';
import type { Mappings } from './mappings.ts';
import { findWaiting, type QueueRow } from './outbox-repository.ts';
import { listStates, listStatesOfTarget, type StateRow } from './state-repository.ts';
import { withoutWords } from './words.ts';
import type { DeliveryNote } from './written-by.ts';

interface Question {
  readonly collection: string;
  readonly id: string;
  readonly only: Mapping | undefined;
  /** Whether whoever asks sees the words of errors of a mapping. */
  readonly sees: (mapping: Mapping) => Promise<boolean>;
}

/** Why an object has, or has not, what mappings give it: as far as links and states tell it. */
export async function explainObject(
  db: Db,
  mappings: Mappings,
  { collection, id, only, sees }: Question,
): Promise<JsonObject> {
  const asked = mappings.about(collection).filter((mapping) => only === undefined || mapping === only);
  const told: JsonObject[] = [];
  for (const mapping of asked) {
    const shown = (await sees(mapping)) ? (error: JsonObject | null) => error : withoutWords;
    if (mapping.source === collection) told.push(...(await explainAs('source', db, mapping, id, shown)));
    if (mapping.target === collection) told.push(...(await explainAs('target', db, mapping, id, shown)));
  }
  return { resource: `${collection}/${id}`, mappings: told };
}

async function explainAs(
  end: 'source' | 'target',
  db: Db,
  mapping: Mapping,
  id: string,
  shown: typeof withoutWords,
): Promise<JsonObject[]> {
  const { name, enableSync } = mapping;
  const pairs = await listPairs(db, mapping, end, id);
  const states =
    end === 'source' ? await listStates(db, [name], [id]) : await listStatesOfTarget(db, [name], id);
  const qualifiers = new Set([
    ...pairs.map(({ row }) => row.qualifier),
    ...states.map((state) => state.qualifier),
  ]);
  const sources = end === 'source' ? [id] : [...pairs, ...states].map(sourceIdOf);
  const [waiting] = await findWaiting(db, name, sources);
  const common = {
    mapping: name,
    role: end,
    ...(waiting === undefined ? {} : { queue: shownWaiting(waiting, shown) }),
  };
  if (qualifiers.size === 0) {
    return [{ ...common, outcome: 'none', why: whyNothing(mapping, end, enableSync) }];
  }
  return [...qualifiers].map((qualifier) => {
    const pair = pairs.find(({ row }) => row.qualifier === qualifier);
    const state = states.find((one) => one.qualifier === qualifier);
    return {
      ...common,
      linkQualifier: qualifier,
      ...explanation(mapping, pair, state && { ...state, error: shown(state.error) }),
    };
  });
}

function sourceIdOf(one: LinkedPair | StateRow): string {
  return 'row' in one ? one.sourceId : one.source_id;
}

function shownWaiting({ state, attempt, due_at, error }: QueueRow, shown: typeof withoutWords): JsonObject {
  return { state, attempt, dueAt: due_at.toISOString(), ...(error === null ? {} : { error: shown(error) }) };
}

function explanation(
  mapping: Mapping,
  pair: LinkedPair | undefined,
  state: StateRow | undefined,
): JsonObject {
  const sourceId = pair?.sourceId ?? state?.source_id;
  const targetId = pair?.targetId ?? state?.target_id ?? null;
  return {
    source: sourceId === undefined ? null : `${mapping.source}/${sourceId}`,
    target: targetId === null ? null : `${mapping.target}/${targetId}`,
    linked: pair !== undefined,
    outcome: state?.outcome ?? 'unknown',
    why: sentenceOf(mapping, pair, state),
    ...(state === undefined
      ? {}
      : {
          situation: state.situation,
          action: state.action,
          at: state.delivered_at.toISOString(),
          transactionId: state.transaction_id,
          sourceRev: state.source_rev,
          ...(state.error === null ? {} : { error: state.error }),
          attributes: attributesOf(state),
        }),
  };
}

/** For each attribute the rule by which it is what it is, and the change, with who made that. */
function attributesOf({ provenance, deliveries }: StateRow): JsonObject[] {
  return Object.entries(provenance ?? {}).map(([attribute, { delivery, ...by }]) => ({
    attribute,
    ...by,
    ...shownDelivery(delivery === undefined ? undefined : deliveries?.[delivery]),
  }));
}

function shownDelivery(note: DeliveryNote | undefined): JsonObject {
  if (note === undefined) return {};
  const { at, transactionId, userId, sourceRev, reconId } = note;
  return { at, transactionId, userId, sourceRev, reconId };
}

function sentenceOf(mapping: Mapping, pair: LinkedPair | undefined, state: StateRow | undefined): string {
  if (state === undefined) return `It is linked, and '${mapping.name}' has delivered nothing since`;
  const { situation, action, outcome, error, delivered_at } = state;
  const found =
    situation === null ? 'Before anything was found out about it' : `Its situation was ${situation}`;
  if (outcome === 'failed') {
    const { message = null, reason = null }: JsonObject = isObject(error) ? error : {};
    return `${found}, and ${action ?? 'nothing'} failed at ${delivered_at.toISOString()}: ${message ?? reason ?? 'an error'}`;
  }
  const link = pair === undefined && mapping.enableLinking ? ', and its link is gone since' : '';
  return `${found}, so ${action} was done at ${delivered_at.toISOString()}${link}`;
}

function whyNothing({ name }: Mapping, end: 'source' | 'target', enableSync: boolean): string {
  if (end === 'target') return `'${name}' has brought nothing to it`;
  if (!enableSync) return `'${name}' is told of no changes: its enableSync is false`;
  return `'${name}' has no target for it: it has not changed since the mapping is there, or its source is not valid`;
}
