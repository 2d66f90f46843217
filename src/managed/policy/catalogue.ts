import { PASSWORD_POLICIES } from './password-policies.ts';
import type { Policy } from './policy.ts';
import { TEXT_POLICIES } from './text-policies.ts';
import { UNIQUE_POLICIES } from './unique-policies.ts';
import { VALUE_POLICIES } from './value-policies.ts';

/** The policies that need no script, by id. */
export const CATALOGUE: ReadonlyMap<string, Policy> = new Map(
  [...VALUE_POLICIES, ...TEXT_POLICIES, ...PASSWORD_POLICIES, ...UNIQUE_POLICIES].map((policy) => [
    policy.id,
    policy,
  ]),
);
