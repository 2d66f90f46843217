import type { Situation } from '#config/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { firstOf, type JsonObject } from '#json/index.ts';
import { correlate } from './correlate.ts';
import { isStillLike } from './foreseen.ts';
import { findPair, type LinkedPair } from './linked-pair.ts';
import { holds, isTrue } from './mapping-scripts.ts';
import { readObject } from './read-object.ts';
import { assess, type Facts } from './situation.ts';
import type { Scope } from './stage.ts';

/** Stands in place of the id of a source where only a target is there, which nothing is linked to. */
export const NO_SOURCE = '';

/** What a source object is looked at with. */
export interface Inquiry {
  readonly sourceId: string;
  /** The source as it is; null where it is gone. */
  readonly source: JsonObject | null;
  /** The source as it was before the change that is delivered; null where nobody knows. */
  readonly oldSource: JsonObject | null;
}

/** What was found. */
export interface Sight extends Inquiry {
  readonly situation: Situation;
  readonly link: LinkedPair | undefined;
  /** The one target there is. */
  readonly target: JsonObject | null;
  /** The id of the target, or that in the link to one that is gone. */
  readonly targetId: string | null;
  /** The ids of the targets that correlate, where there are several. */
  readonly ambiguous: readonly string[];
}

const UNSEEN: Facts = {
  hasSource: false,
  isValid: false,
  isLinked: false,
  hasTarget: false,
  isTargetValid: false,
  correlated: 0,
  isTaken: false,
};

/** Finds out how a source object stands to its target. Scripts run only for what has to be known. */
export async function look(scope: Scope, inquiry: Inquiry): Promise<Sight> {
  const { source, oldSource, sourceId } = inquiry;
  const { mapping, qualifier, context } = scope;
  const facts = { ...UNSEEN, hasSource: source !== null };
  if (source !== null) facts.isValid = await isSourceValid(scope, source);
  const db = await context.unitOfWork.db();
  const link = mapping.enableLinking ? await findPair(db, mapping, qualifier, 'source', sourceId) : undefined;
  if (link !== undefined) {
    const target = await readTarget(scope, link.targetId);
    facts.isLinked = true;
    facts.hasTarget = target !== null;
    if (source === null && target !== null) facts.isTargetValid = await isTargetValid(scope, target);
    const found = { link, target, targetId: link.targetId, ambiguous: [] };
    return { ...inquiry, ...found, situation: assess(facts) };
  }
  const known = source ?? oldSource;
  const ids = known === null ? [] : await correlate(scope, known);
  if (known !== null && scope.foreseen !== undefined && ids.length === 1) {
    // What was foreseen may be past.
    const found = await readTarget(scope, firstOf(ids));
    if (!isStillLike(scope.foreseen, found)) return look({ ...scope, foreseen: undefined }, inquiry);
  }
  facts.correlated = ids.length;
  if (source === null && oldSource !== null && ids.length > 0) {
    facts.isValid = await isOldSourceValid(scope, oldSource);
  }
  const nothing = { ...inquiry, link: undefined, target: null, targetId: null };
  if (ids.length !== 1) return { ...nothing, ambiguous: ids, situation: assess(facts) };
  const targetId = firstOf(ids);
  const target = await readTarget(scope, targetId);
  // It was deleted by somebody else between the question and the look.
  if (target === null) {
    facts.correlated = 0;
    return { ...nothing, ambiguous: [], situation: assess(facts) };
  }
  const other = mapping.enableLinking
    ? await findPair(db, mapping, qualifier, 'target', targetId)
    : undefined;
  facts.isTaken = other !== undefined;
  // What belongs to another source is nothing to take away.
  if (facts.isTaken && !(facts.hasSource && facts.isValid)) {
    facts.correlated = 0;
    return { ...nothing, ambiguous: [], situation: assess(facts) };
  }
  return { ...nothing, target, targetId, ambiguous: [], situation: assess(facts) };
}

/** What there is to say of a target that no source has led to; undefined where it is gone, or linked meanwhile. */
export async function lookAtTarget(scope: Scope, targetId: string): Promise<Sight | undefined> {
  const { mapping, qualifier, context } = scope;
  const target = await readTarget(scope, targetId);
  if (target === null) return undefined;
  const db = await context.unitOfWork.db();
  if (mapping.enableLinking && (await findPair(db, mapping, qualifier, 'target', targetId)) !== undefined)
    return undefined;
  const situation = (await isTargetValid(scope, target)) ? 'UNASSIGNED' : 'TARGET_IGNORED';
  const nothing = { sourceId: NO_SOURCE, source: null, oldSource: null, link: undefined, ambiguous: [] };
  return { ...nothing, target, targetId, situation };
}

/**
 * The same with a target that somebody has named, where none or several were found.
 *
 * @throws BadRequestError `SYNC_OTHER_TARGET` when there is another one, or none of that id
 */
export async function withTarget(scope: Scope, sight: Sight, targetId: string): Promise<Sight> {
  if (sight.targetId === targetId) return sight;
  const target = sight.target === null ? await readTarget(scope, targetId) : null;
  if (target !== null) return { ...sight, target, targetId, ambiguous: [] };
  const { mapping } = scope;
  throw new BadRequestError(
    sight.target === null
      ? `There is no target '${mapping.target}/${targetId}'`
      : `The target of '${sight.sourceId}' is '${sight.targetId}', and not '${targetId}'`,
    { id: 'SYNC_OTHER_TARGET', field: 'targetId', hint: 'Leave it out, or remove the link below repo/link' },
  );
}

async function isSourceValid(scope: Scope, source: JsonObject): Promise<boolean> {
  const { mapping, qualifier } = scope;
  const bindings = { source, linkQualifier: qualifier };
  if (!(await isOldSourceValid(scope, source))) return false;
  return holds(scope, mapping.sourceCondition, 'sourceCondition', bindings);
}

/** For a source that is gone only the script is asked, as servers of the field do. */
async function isOldSourceValid(scope: Scope, source: JsonObject): Promise<boolean> {
  const reference = scope.mapping.validSource;
  if (reference === undefined) return true;
  return isTrue(scope, {
    use: 'validSource',
    reference,
    bindings: { source, linkQualifier: scope.qualifier },
  });
}

async function isTargetValid(scope: Scope, target: JsonObject): Promise<boolean> {
  const reference = scope.mapping.validTarget;
  if (reference === undefined) return true;
  return isTrue(scope, {
    use: 'validTarget',
    reference,
    bindings: { target, linkQualifier: scope.qualifier },
  });
}

function readTarget(scope: Scope, id: string): Promise<JsonObject | null> {
  const { target, properties } = scope.mapping;
  return readObject(
    scope,
    target,
    id,
    properties.flatMap(({ target: [name] }) => name ?? []),
  );
}
