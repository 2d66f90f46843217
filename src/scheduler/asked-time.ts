import type { JsonObject } from '#json/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';

/** What is said of a member that is wrong. */
export type Refuse = (member: string, message: string, hint: string) => Error;

/** @returns epoch ms of an end of a span that somebody asks about; undefined where it is left out */
export function askedTime(body: JsonObject, member: 'from' | 'to', refuse: Refuse): number | undefined {
  const text = body[member];
  if (text === undefined) return undefined;
  const at = typeof text === 'string' ? parseInstant(text) : Number.NaN;
  if (isInstant(at)) return at;
  throw refuse(member, `${member} is ${JSON.stringify(text)}`, 'An ISO time such as 2026-08-02T00:00:00Z');
}
