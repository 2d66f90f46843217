import type { Command } from './command.ts';
import { COMMANDS, REMOTE_HALVES, remoteHalf } from './commands.ts';

/** What may come next, behind words of which the last is being typed. */
export async function completionsOf(words: readonly string[]): Promise<readonly string[]> {
  const [name, verb] = words;
  const typed = words.at(-1) ?? '';
  const fits = (candidates: readonly string[]) => candidates.filter((each) => each.startsWith(typed));
  if (name === undefined || words.length === 1) return fits(Object.keys(COMMANDS));
  const load = remoteHalf(name, verb) ?? (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);
  if (load === undefined) return [];
  const command = await load();
  if (typed.startsWith('-'))
    return fits([...Object.keys(command.options), 'help'].map((flag) => `--${flag}`));
  return words.length === 2 ? fits([...verbsOf(command), ...(REMOTE_HALVES[name]?.verbs ?? [])]) : [];
}

/** `list|show` among its arguments are words as they stand. */
function verbsOf({ arguments: [first = ''] = [] }: Command): readonly string[] {
  return /^[a-z-]+(?:\|[a-z-]+)+$/.test(first) ? first.split('|') : [];
}
