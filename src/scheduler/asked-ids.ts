import type { JsonObject } from '#json/index.ts';
import type { Refuse } from './asked-time.ts';

/** @returns the schedules that somebody asks about; undefined where they are left out */
export function askedIds(
  { ids }: JsonObject,
  { most, refuse }: { readonly most: number; readonly refuse: Refuse },
): readonly string[] | undefined {
  if (ids === undefined) return undefined;
  const texts = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  if (Array.isArray(ids) && texts.length === ids.length && ids.length <= most) return texts;
  throw refuse('ids', `ids is ${JSON.stringify(ids)}`, `A list of up to ${most} ids of schedules`);
}
