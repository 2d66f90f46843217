import { cloneJson, equalJson, type JsonObject, type JsonValue } from '#json/index.ts';
import { giveAssignments, isShipped, replaceIn } from './assignment/give-assignments.ts';
import type { Sight } from './look.ts';
import { mapProperties, type Provenance, type Sides } from './map-properties.ts';
import type { MappingHook } from './mapping.ts';
import { runScript } from './mapping-scripts.ts';
import type { Scope } from './stage.ts';

/** A target as it is to be. */
export interface MappedTarget {
  readonly wanted: JsonObject;
  readonly provenance: Provenance;
  /** What is to be remembered of assignments; undefined where a script of the project looks after them. */
  readonly assignments: JsonValue | undefined;
}

/**
 * What a mapping makes of a source: onto nothing for a target that is made, onto what is there for one that is changed.
 *
 * @param remembered the assignments that were in effect when the target was written last
 */
export async function mapTarget(
  scope: Scope,
  sight: Sight & { readonly source: JsonObject },
  remembered: JsonValue,
): Promise<MappedTarget> {
  const { source, oldSource, target: oldTarget } = sight;
  const target = cloneJson(oldTarget ?? {});
  const sides: Sides = { source, oldSource, target, oldTarget };
  const provenance = await mapProperties(scope, sides);
  const before = cloneJson(target);
  const assignments = await runDefaultMapping(scope, sides, remembered, provenance);
  noteChanges(provenance, before, target, 'defaultMapping');
  const hook = oldTarget === null ? 'onCreate' : 'onUpdate';
  const mapped = cloneJson(target);
  await runTargetHook(scope, hook, sight, target);
  noteChanges(provenance, mapped, target, hook);
  return { wanted: target, provenance, assignments };
}

async function runDefaultMapping(
  scope: Scope,
  sides: Sides,
  remembered: JsonValue,
  provenance: Provenance,
): Promise<JsonValue | undefined> {
  const { defaultMapping: reference, written } = scope.mapping;
  if (reference === undefined || (await isShipped(scope, reference))) {
    const given = await giveAssignments(scope, sides, remembered);
    Object.assign(provenance, given.provenance);
    return [...given.assignments];
  }
  const { source, oldSource, target, oldTarget } = sides;
  const { bindings } = await runScript(
    scope,
    {
      use: 'defaultMapping',
      reference,
      bindings: {
        source,
        oldSource,
        target,
        config: written,
        existingTarget: oldTarget,
        linkQualifier: scope.qualifier,
      },
    },
    ['target'],
  );
  replaceIn(target, bindings['target']);
  return undefined;
}

async function runTargetHook(
  scope: Scope,
  hook: 'onCreate' | 'onUpdate',
  sight: Sight,
  target: JsonObject,
): Promise<void> {
  const reference = scope.mapping.hooks[hook];
  if (reference === undefined) return;
  const seen = { ...hookBindings(scope, sight), target };
  const script =
    hook === 'onCreate'
      ? ({ use: 'onCreate', reference, bindings: seen } as const)
      : ({ use: 'onUpdate', reference, bindings: { ...seen, oldTarget: sight.target } } as const);
  const { bindings } = await runScript(scope, script, ['target']);
  replaceIn(target, bindings['target']);
}

/** A hook that changes nothing of the target. */
export async function runPlainHook(
  scope: Scope,
  hook: Exclude<MappingHook, 'onCreate' | 'onUpdate'>,
  sight: Sight,
): Promise<void> {
  const reference = scope.mapping.hooks[hook];
  if (reference === undefined) return;
  await runScript(scope, { use: hook, reference, bindings: hookBindings(scope, sight) });
}

/** What hooks see. */
export function hookBindings({ mapping, qualifier }: Scope, sight: Sight) {
  const { source, oldSource, sourceId, target, targetId, situation } = sight;
  return {
    linkQualifier: qualifier,
    mappingConfig: mapping.written,
    source,
    oldSource,
    sourceId,
    target,
    targetId,
    situation,
  };
}

/** What a script has changed is its doing. */
function noteChanges(provenance: Provenance, before: JsonObject, after: JsonObject, rule: string): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (equalJson(before[name], after[name])) continue;
    const pointer = `/${name}`;
    // What assignments have done has been told.
    if (rule === 'defaultMapping' && provenance[pointer]?.rule.startsWith('assignment ') === true) continue;
    provenance[pointer] = { rule };
  }
}
