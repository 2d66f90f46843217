import type { JsonObject } from '#client/index.ts';
import { isMembers } from '../../form/members.ts';
import { listOf } from './members.ts';

/** What is found out about a pair, and what is done about it where no policy says something else. */
export const SITUATIONS = {
  CONFIRMED: 'UPDATE',
  ABSENT: 'CREATE',
  FOUND: 'UPDATE',
  FOUND_ALREADY_LINKED: 'EXCEPTION',
  MISSING: 'EXCEPTION',
  AMBIGUOUS: 'EXCEPTION',
  UNQUALIFIED: 'DELETE',
  SOURCE_IGNORED: 'REPORT',
  SOURCE_MISSING: 'EXCEPTION',
  UNASSIGNED: 'EXCEPTION',
  TARGET_IGNORED: 'REPORT',
  LINK_ONLY: 'EXCEPTION',
  ALL_GONE: 'NOREPORT',
} as const;

export type Situation = keyof typeof SITUATIONS;

export const ACTIONS = [
  'CREATE',
  'UPDATE',
  'LINK',
  'UNLINK',
  'DELETE',
  'EXCEPTION',
  'REPORT',
  'NOREPORT',
  'ASYNC',
  'IGNORE',
] as const;

/** A policy, and its place in the list of the mapping. */
export interface Policy {
  readonly at: number;
  /** Undefined of a script that says it. */
  readonly action: string | undefined;
  readonly written: JsonObject;
}

export function policiesOf(mapping: JsonObject, situation: string): readonly Policy[] {
  return listOf(mapping['policies']).flatMap((written, at) => {
    if (!isMembers(written) || written['situation'] !== situation) return [];
    const { action } = written;
    return [{ at, action: typeof action === 'string' ? action : undefined, written }];
  });
}

/** @param written undefined: the policy goes; @param at undefined: it is a new one */
export function withPolicy(
  mapping: JsonObject,
  at: number | undefined,
  written: JsonObject | undefined,
): JsonObject {
  const all = listOf(mapping['policies']);
  const next =
    at === undefined
      ? [...all, written]
      : all.flatMap((each, index) => (index === at ? (written === undefined ? [] : [written]) : [each]));
  return { ...mapping, policies: [...next] };
}
