import type { JsonObject } from '#client/index.ts';
import { isRecord } from './profiles.ts';

/** What became of one planned time of a schedule, as `why` answers it. */
export interface ToldFiring {
  readonly schedule: string;
  /** The node, for a schedule in the memory of one. */
  readonly nodeId: string | number | null;
  readonly time: string;
  readonly why: string;
  readonly chain: readonly { readonly at: string; readonly text: string }[];
}

export function firingInSentences({ schedule, nodeId, time, why: verdict, chain }: ToldFiring): string {
  return [
    `Schedule ${schedule}${nodeId === null ? '' : ` in the memory of node ${nodeId}`} at ${time}`,
    `${verdict}.`,
    '',
    ...chain.map(({ at, text }) => `${at}  ${text}`),
  ].join('\n');
}

/** Both answers about a user, as lines. */
export function userInSentences(id: string, answer: JsonObject): string {
  const one = answer['has'] !== undefined;
  const grants = listOf(one ? answer['grants'] : answer['effectiveRoles']);
  const head = one
    ? `User ${id} ${answer['has'] === true ? 'has' : 'does not have'} ${answer['_ref']}\n${answer['why']}.`
    : `User ${id} has ${grants.length === 1 ? '1 grant' : `${grants.length} grants`}`;
  const clauses = one && grants.length === 0 ? clausesOf(answer) : [];
  return [head, ...grants.flatMap(grantLines), ...clauses].join('\n');
}

function grantLines(grant: JsonObject): string[] {
  const { _ref, via, inEffect, at, by, transaction } = grant;
  const who = by === undefined ? '' : ` by ${by}, transaction ${transaction}`;
  return ['', `${_ref}  ${via}${inEffect === true ? '' : ', not in effect now'}`, `  since ${at}${who}`]
    .concat(clausesOf(grant))
    .concat(windowsOf(grant));
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isRecord(each)) : [];
}

function clausesOf({ clauses }: JsonObject): string[] {
  return listOf(clauses).map(
    ({ text, result }) => `  ${text}  ${result === true ? 'holds' : 'does not hold'}`,
  );
}

function windowsOf({ window = {} }: JsonObject): string[] {
  return Object.entries(isRecord(window) ? window : {}).map(([of, spans]) => {
    const [span] = listOf(spans);
    return `  time of the ${of}: ${span?.['duration']}`;
  });
}
