import { type Call, type DryRun, type JsonObject, SvcError, UnreachableError } from '#client/index.ts';
import { isMembers } from '../form/members.ts';
import { client, requestIdOf } from '../session/client.ts';

/** A change that somebody wants to make: what it is called, and the very request that makes it. */
export interface Write {
  /** Such as 'Change Anna Vogel'. */
  readonly title: string;
  readonly call: Call;
  /** What is said when it is done. */
  readonly done: string;
  /** What it changes, in the words of whoever wants it: shown before all that the server says of it. */
  readonly shows?: readonly FieldChange[] | undefined;
  /** It cannot be taken back, so this is typed before. */
  readonly typed?: string;
  /** What it would do may take long to find out, so nobody has to wait for that. */
  readonly isSlow?: boolean;
  /** The object as it was when somebody began to change it, to be told from what somebody else has changed meanwhile. */
  readonly base?: JsonObject;
  /** What is asked for again besides what events tell of. */
  readonly touches?: readonly string[];
}

export interface Done {
  readonly answer: unknown;
  /** By which the trail knows all that it has changed. */
  readonly transaction: string | undefined;
}

export async function rehearse({ call }: Write): Promise<DryRun<unknown>> {
  return client.send({ ...call, parameters: { ...call.parameters, _dryRun: 'true' } });
}

export async function apply({ call }: Write): Promise<Done> {
  const { signal } = new AbortController();
  const answer = await client.send({ ...call, signal });
  return { answer, transaction: requestIdOf(signal) };
}

/** Whether somebody else has changed the object since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof SvcError && error.code === 412;
}

/** Whether nobody has said what has become of a change: it was made as a whole, or not at all. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  return (
    error instanceof SvcError &&
    (error.id === 'DB_COMMIT_UNKNOWN' || error.code === 502 || error.code === 504)
  );
}

/** Whether a request that has perhaps been done can be sent again without being done twice. */
export function isDoneOnce({ method, headers = {} }: Call): boolean {
  return method === 'DELETE' || 'If-Match' in headers || 'If-None-Match' in headers;
}

const WORKS = new Set(['cluster', 'key', 'recon', 'session', 'taskscanner']);
const STARTS = new Set(['execute', 'retry', 'send', 'trigger']);

/** Whether there may be something to take back: what has been set going or stopped has happened. */
export function canBeUndone({ path, parameters }: Call): boolean {
  const action = String(parameters?.['_action']);
  return action !== 'revert' && !STARTS.has(action) && !WORKS.has(String(path[0]));
}

/** What takes back all that a request has changed. */
export function undoOf(title: string, done: string, transactionId: string): Write {
  return {
    title,
    done,
    call: {
      method: 'POST',
      path: ['audit'],
      parameters: { _action: 'revert' },
      body: { transactionId },
    },
  };
}

/** A change of one property, by its JSON pointer. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two objects: members of objects one by one, everything else as a whole. */
export function changesBetween(before: unknown, after: unknown, at = ''): readonly FieldChange[] {
  if (isMembers(before) && isMembers(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names
      .filter((name) => at !== '' || name !== '_rev')
      .flatMap((name) =>
        changesBetween(
          before[name],
          after[name],
          `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        ),
      );
  }
  return isSame(before, after) ? [] : [{ field: at, before, after }];
}

/** For people: of two lists, their members one by one where it can be told which belong together. */
export function differencesBetween(before: unknown, after: unknown): readonly FieldChange[] {
  return changesBetween(before, after).flatMap((change) => inLists(change));
}

function inLists(change: FieldChange): readonly FieldChange[] {
  const { field, before, after } = change;
  if (!Array.isArray(before) || !Array.isArray(after)) return [change];
  const least = Math.min(before.length, after.length);
  const areAlike = isSame(before.slice(0, least), after.slice(0, least)) || before.length === after.length;
  if (!areAlike || least === 0) return [change];
  return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, at) =>
    changesBetween(before[at], after[at], `${field}/${at}`).flatMap(inLists),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Short, for people. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
