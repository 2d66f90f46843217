import { randomUUID } from 'node:crypto';
import type { SyncAction } from '#config/index.ts';
import { ConflictError } from '#errors/index.ts';
import { formatPointer, type JsonObject, type JsonValue } from '#json/index.ts';
import { Connection, formatPath, parsePath } from '#resource/index.ts';
import { type ActionPlan, hasPostAction, type LinkChange, planAction } from './action.ts';
import { changeSet, withoutNulls } from './change-set.ts';
import type { Choice } from './choose-action.ts';
import { findPair, makeLink, moveLink, removeLink } from './linked-pair.ts';
import { NO_SOURCE, type Sight } from './look.ts';
import type { Provenance } from './map-properties.ts';
import { mapTarget, runPlainHook } from './map-target.ts';
import { runScript } from './mapping-scripts.ts';
import {
  createOutside,
  deleteOutside,
  isOutside,
  patchOutside,
  settleOutside,
  withKnownSecrets,
} from './outside.ts';
import type { Scope } from './stage.ts';
import { wakeWaiting } from './wake-waiting.ts';

/** What an action has come to. */
export interface Outcome {
  /** The target after it; null where there is none. */
  readonly targetId: string | null;
  readonly targetObject: JsonObject | null;
  /** Pointers of what was written of the target; null where nothing was. */
  readonly written: readonly string[] | null;
  /** Pointers of what the target had, and has no more. */
  readonly cleared?: readonly string[];
  /** Whether anything was stored, be it a link. */
  readonly hasChanged: boolean;
  readonly provenance: Provenance | null;
  /** Undefined: as it was. */
  readonly assignments: JsonValue | undefined;
}

const NOTHING = { written: null, provenance: null, assignments: undefined } as const;

/**
 * Does what an action means. The link is made before its target, and goes before it: what follows from the target at once, such as a
 * mapping the other way round, finds it so.
 *
 * @param remembered the assignments that were in effect when the target was written last
 * @throws ConflictError `SYNC_REFUSED` for what cannot be done in the situation
 */
export async function carryOut(
  scope: Scope,
  sight: Sight,
  choice: Choice,
  remembered: JsonValue,
): Promise<Outcome> {
  const { action } = choice;
  const { target, targetId } = sight;
  const plan = planOf(scope, sight, action);
  if (plan.does === 'refuse') throw refused(scope, sight, action, plan.because);
  switch (plan.does) {
    case 'create':
      return create(scope, sight, plan.link, remembered);
    case 'update':
      return update(scope, sight, plan.link, remembered);
    case 'delete':
      await runPlainHook(scope, 'onDelete', sight);
      await changeLink(scope, sight, plan.link, '');
      if (isOutside(scope.mapping.target)) await deleteOutside(scope, sight.sourceId, String(targetId));
      else {
        await new Connection(scope.platform.resources, scope.context).delete(
          pathOf(scope, String(targetId)),
          revisionOf(target),
        );
      }
      return { ...NOTHING, targetId: null, targetObject: null, written: [], hasChanged: true };
    default: {
      await changeLink(scope, sight, plan.link, targetId ?? '');
      const stays = plan.link === 'remove' ? null : targetId;
      return { ...NOTHING, targetId: stays, targetObject: target, hasChanged: plan.link !== 'keep' };
    }
  }
}

function planOf({ mapping }: Scope, { source, target, link }: Sight, action: SyncAction): ActionPlan {
  return planAction(action, {
    hasSource: source !== null,
    hasTarget: target !== null,
    isLinked: link !== undefined,
    keepsLinks: mapping.enableLinking,
  });
}

/** Whether an action takes a target away, or the link to it. */
export function takesAway(scope: Scope, sight: Sight, { action }: Choice): boolean {
  const plan = planOf(scope, sight, action);
  return plan.does !== 'refuse' && (plan.does === 'delete' || plan.link === 'remove');
}

/** Has the policy's script look at what was done. */
export async function runPostAction(
  scope: Scope,
  sight: Sight,
  { action, postAction }: Choice,
  target: JsonObject | null,
): Promise<void> {
  if (postAction === undefined || !hasPostAction(action)) return;
  const { source, situation } = sight;
  await runScript(scope, {
    use: 'postAction',
    reference: postAction,
    bindings: {
      linkQualifier: scope.qualifier,
      sourceAction: sight.sourceId !== NO_SOURCE,
      action,
      situation,
      reconId: scope.reconId ?? null,
      source,
      target,
    },
  });
}

async function create(scope: Scope, sight: Sight, link: LinkChange, remembered: JsonValue): Promise<Outcome> {
  const { wanted, provenance, assignments } = await mapTarget(scope, withSource(sight), remembered);
  const content = withoutNulls(wanted);
  const id = await place(scope, sight, link, wanted['_id'], content);
  return {
    targetId: id,
    targetObject: { _id: id, ...content },
    written: Object.keys(content).map((name) => formatPointer([name])),
    hasChanged: true,
    provenance,
    assignments,
  };
}

/** @returns the id of the new target */
async function place(
  scope: Scope,
  sight: Sight,
  link: LinkChange,
  given: JsonValue | undefined,
  content: JsonObject,
): Promise<string> {
  const { mapping, platform, context } = scope;
  if (isOutside(mapping.target)) {
    const made = await createOutside(scope, sight.sourceId, content);
    await changeLink(scope, { ...sight, target: { _id: made, ...content } }, link, made);
    await settleOutside(scope, sight.sourceId, content);
    await wakeWaiting(scope, made, content);
    return made;
  }
  const id = typeof given === 'string' && given !== '' ? given : randomUUID();
  await changeLink(scope, { ...sight, target: { _id: id, ...content } }, link, id);
  await new Connection(platform.resources, context).create(mapping.target, id, content);
  await wakeWaiting(scope, id, content);
  return id;
}

async function update(scope: Scope, sight: Sight, link: LinkChange, remembered: JsonValue): Promise<Outcome> {
  const { target, targetId, sourceId } = sight;
  const before = String(targetId);
  const isOther = isOutside(scope.mapping.target);
  await changeLink(scope, sight, link, before);
  const { wanted, provenance, assignments } = await mapTarget(scope, withSource(sight), remembered);
  const existing = isOther ? await withKnownSecrets(scope, sourceId, target ?? {}, wanted) : (target ?? {});
  const operations = await changeSet(scope.platform.crypto, existing, wanted);
  let id = before;
  if (operations.length > 0 && isOther) {
    id = await patchOutside(scope, sourceId, before, operations);
    if (id !== before) await followRename(scope, sourceId, id);
    const names = new Set(operations.map(({ field: [name] }) => name));
    const written = Object.fromEntries(Object.entries(wanted).filter(([name]) => names.has(name)));
    await settleOutside(scope, sourceId, written);
    await wakeWaiting(scope, id, written);
  } else if (operations.length > 0) {
    const connection = new Connection(scope.platform.resources, scope.context);
    await connection.patch(pathOf(scope, id), revisionOf(target), operations);
  }
  return {
    targetId: id,
    targetObject: wanted,
    written: operations.length === 0 ? null : operations.map(({ field }) => formatPointer(field)),
    cleared: operations
      .filter(({ operation }) => operation === 'remove')
      .map(({ field }) => formatPointer(field)),
    hasChanged: operations.length > 0 || link !== 'keep',
    provenance,
    assignments,
  };
}

/** Where ids are names, another name makes another id. */
async function followRename(
  { mapping, qualifier, context }: Scope,
  sourceId: string,
  id: string,
): Promise<void> {
  const db = await context.unitOfWork.db();
  const link = await findPair(db, mapping, qualifier, 'source', sourceId);
  if (link !== undefined) await moveLink(db, mapping, link, id);
}

async function changeLink(scope: Scope, sight: Sight, change: LinkChange, targetId: string): Promise<void> {
  const { mapping, qualifier, context } = scope;
  const { link, sourceId } = sight;
  const db = await context.unitOfWork.db();
  if (change === 'make') {
    await runPlainHook(scope, 'onLink', { ...sight, targetId });
    await makeLink(db, mapping, qualifier, sourceId, targetId);
  } else if (change === 'move' && link !== undefined) {
    await moveLink(db, mapping, link, targetId);
  } else if (change === 'remove' && link !== undefined) {
    await runPlainHook(scope, 'onUnlink', sight);
    await removeLink(db, link);
  }
}

function withSource(sight: Sight): Sight & { readonly source: JsonObject } {
  const { source } = sight;
  if (source === null) throw new Error(`There is no source '${sight.sourceId}' to be mapped`);
  return { ...sight, source };
}

function pathOf({ mapping }: Scope, id: string): string {
  return formatPath([...parsePath(mapping.target), id]);
}

function revisionOf(object: JsonObject | null): string | null {
  const rev = object?.['_rev'];
  return typeof rev === 'string' ? rev : null;
}

function refused(
  { mapping, qualifier }: Scope,
  { situation, sourceId, ambiguous }: Sight,
  action: SyncAction,
  because: string,
): ConflictError {
  const many = ambiguous.length === 0 ? '' : `: ${ambiguous.join(', ')} correlate with it`;
  const message =
    action === 'EXCEPTION'
      ? `Situation ${situation} marked as EXCEPTION${many}`
      : `${action} cannot be done in the situation ${situation}: ${because}${many}`;
  return new ConflictError(message, {
    id: 'SYNC_REFUSED',
    hint: `A policy of '${mapping.name}' for ${situation} can say something else`,
    detail: { mapping: mapping.name, sourceId, situation, action, linkQualifier: qualifier },
  });
}
