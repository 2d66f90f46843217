import type { Command, Spoken } from './command.ts';
import { COMMANDS, OTHER_NAMES, REMOTE_HALVES, remoteHalf } from './commands.ts';

/** What may come next, behind words of which the last is being typed. Nothing where the shell itself shall look for files. */
export async function completionsOf(words: readonly string[]): Promise<readonly string[]> {
  const [first, verb] = words;
  const typed = words.at(-1) ?? '';
  const fits = (candidates: readonly string[]) => candidates.filter((each) => each.startsWith(typed));
  if (first === undefined || words.length === 1) return fits([...Object.keys(COMMANDS), 'help']);
  const name = OTHER_NAMES[first] ?? first;
  const load =
    remoteHalf(name, words.slice(1)) ?? (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);
  if (load === undefined) return [];
  const command = await load();
  const spoken = spokenOf(command, verb);
  const before = flagBefore(command, words);
  if (before !== undefined) return valuesOf(before, words, typed);
  if (typed.startsWith('-')) return fits(flagsOf(command, spoken));
  const places = command.verbs !== undefined && '' in command.verbs ? 1 : 2;
  const given = wordsAlone(command, words);
  if (given.length < places + 1 && places === 2 && words.length === 2) {
    return fits([...verbsOf(command), ...(REMOTE_HALVES[name]?.verbs ?? [])]);
  }
  const takes = spoken?.takes ?? localTakes(command, given);
  const at = given.length - 1 - places;
  const place = takes[Math.min(at, takes.length - 1)];
  if (place === undefined || (at >= takes.length && !place.includes('…'))) return [];
  const { candidatesFor } = await import('./remote/candidates.ts');
  return candidatesFor({ name, place, given: given.slice(places), typed, words });
}

function spokenOf({ verbs }: Command, verb: string | undefined): Spoken | undefined {
  if (verbs === undefined) return undefined;
  return verbs[''] ?? (verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined);
}

/** What stands behind the verb of a command that works on the database. */
function localTakes({ name, arguments: all = [] }: Command, [, verb]: readonly string[]): readonly string[] {
  return name === 'why' && verb === 'user' ? ['<user>'] : name === 'why' ? ['<schedule>'] : all.slice(1);
}

function flagsOf({ options, verbs }: Command, spoken: Spoken | undefined): readonly string[] {
  const ofOthers = new Set(Object.values(verbs ?? {}).flatMap(({ flags = {} }) => Object.keys(flags)));
  const own = spoken?.flags ?? {};
  const known = Object.keys(options).filter((flag) => !ofOthers.has(flag) || flag in own);
  return [...known, 'help'].map((flag) => `--${flag}`);
}

/** The flag whose value is being typed. */
function flagBefore({ options }: Command, words: readonly string[]): string | undefined {
  const before = words.at(-2) ?? '';
  const entry = Object.entries(options).find(
    ([name, { short }]) => before === `--${name}` || before === `-${short}`,
  );
  return entry?.[1].type === 'string' ? entry[0] : undefined;
}

async function valuesOf(flag: string, words: readonly string[], typed: string): Promise<readonly string[]> {
  const { candidatesForFlag } = await import('./remote/candidates.ts');
  return candidatesForFlag(flag, words, typed);
}

/** The words without flags and their values. */
function wordsAlone(command: Command, words: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) =>
      at === words.length - 1 ||
      (!word.startsWith('-') && flagBefore(command, words.slice(0, at + 1)) === undefined),
  );
}

/** `list|show` among its arguments are words as they stand. */
function verbsOf({ arguments: [first = ''] = [] }: Command): readonly string[] {
  return /^[a-z-]+(?:\|[a-z-]+)+$/.test(first) ? first.split('|') : [];
}
