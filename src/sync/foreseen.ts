import { equalJson, type JsonObject } from '#json/index.ts';
import { compileFilter, type QueryFilter } from '#resource/index.ts';

/** What was found for a source together with many others, before its turn came. */
export interface Foreseen {
  readonly source: JsonObject;
  readonly ids: readonly string[];
  /** What its target must be like. */
  readonly filter: QueryFilter;
}

/** Whether the target that was found ahead for the source is still like it. */
export function isStillLike({ filter }: Foreseen, target: JsonObject | null): boolean {
  return target !== null && compileFilter(filter)(target);
}

export function isForeseen(foreseen: Foreseen | undefined, source: JsonObject): foreseen is Foreseen {
  return foreseen !== undefined && equalJson(foreseen.source, source);
}
