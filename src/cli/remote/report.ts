import type { Change } from '#client/index.ts';
import { type Form, isTable, say, showObject } from './output.ts';

interface Told {
  readonly form: Form;
  readonly flags: Readonly<Record<string, unknown>>;
}

interface Report {
  readonly dryRun: true;
  readonly result: unknown;
  readonly changes: readonly Change[];
  readonly withheld?: true;
  readonly truncated?: true;
}

/** What came of a change; of a rehearsal, what would. */
export function showAnswer(answer: unknown, form: Form): void {
  if (isReport(answer) && isTable(form)) showReport(answer);
  else if (isReport(answer) && form === 'name') showAnswer(answer.result, form);
  else if (typeof answer === 'object' && answer !== null) showObject(answer, form);
  else say(String(JSON.stringify(answer)));
}

/** Lines for people, unless a form is asked for. */
export function isSpoken({ form, flags }: Told): boolean {
  return isTable(form) || flags['output'] === undefined;
}

/** What was done: in words for people, else in the form that was asked for. */
export function showDone(told: Told, done: object, words: string): void {
  if (isSpoken(told) && !isReport(done)) say(words);
  else showAnswer(done, told.form);
}

function isReport(answer: unknown): answer is Report {
  if (typeof answer !== 'object' || answer === null) return false;
  return 'dryRun' in answer && answer.dryRun === true && 'changes' in answer;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['create', '+'],
  ['delete', '-'],
]);

function showReport({ changes, withheld, truncated }: Report): void {
  if (changes.length === 0) say('nothing would change');
  for (const change of changes) showDifference(change);
  if (withheld === true) say('(what you may not read is left out)');
  if (truncated === true) say('(there is more)');
}

/** A change as lines: what it is about, and each property that becomes another. */
export function showDifference({ resource, operation, before, after }: Change): void {
  say(`${SIGNS.get(operation) ?? '~'} ${resource}`);
  for (const [name, from, to] of differences(before, after)) say(`    /${name}  ${from} → ${to}`);
}

export function differences(before: unknown, after: unknown): [string, string, string][] {
  const old = new Map(Object.entries(before ?? {}));
  const now = new Map(Object.entries(after ?? {}));
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !/^_(?:id|rev)$/.test(name));
  return names
    .map((name): [string, string, string] => [name, shown(old.get(name)), shown(now.get(name))])
    .filter(([, from, to]) => from !== to);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
