import { randomInt } from 'node:crypto';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';

const CHARACTERS: Readonly<Record<string, string>> = {
  UPPERCASE: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  LOWERCASE: 'abcdefghijklmnopqrstuvwxyz',
  INTEGERS: '0123456789',
  // No character that has to be written otherwise in a mail, a JSON text or a command.
  SPECIAL: '!#$%()*+,-.:;=?@[]^_{|}~',
};

const LONGEST = 1024;

interface Rule {
  readonly characters: string;
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * A text that nobody guesses, such as a first password. Each of the rules says of one kind of characters how many there are
 * at least and at most.
 *
 * @throws BadRequestError for rules that no text of that length keeps
 */
export function randomString(given: JsonValue, wanted: JsonValue): string {
  if (!Array.isArray(given) || given.length === 0) throw refused('The rules are a list of at least one');
  const rules = given.map(toRule);
  const length = countOf(wanted, 'The length');
  const parts = rules.map((rule) => ({ ...rule, count: rule.minimum }));
  for (let left = length - countOfAll(parts); left > 0; left--) {
    const open = parts.flatMap((part) =>
      part.count < part.maximum ? Array.from(part.characters, () => part) : [],
    );
    if (open.length === 0) throw refused(`The rules have no room for ${length} characters`);
    pick(open).count++;
  }
  if (countOfAll(parts) > length) throw refused(`The rules want more than ${length} characters`);
  const characters = parts.flatMap((part) =>
    Array.from({ length: part.count }, () => pick([...part.characters])),
  );
  return shuffled(characters).join('');
}

function toRule(value: JsonValue): Rule {
  if (!isObject(value)) throw refused('A rule is an object with rule and minimum');
  const { rule, minimum = 0, maximum = LONGEST } = value;
  const name = String(rule);
  const characters = Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name] : undefined;
  if (characters === undefined) {
    const names = Object.keys(CHARACTERS);
    throw refused(`There is no rule '${name}'`, didYouMean(name, names) ?? `There are ${names.join(', ')}`);
  }
  const least = countOf(minimum, `The minimum of ${name}`);
  const most = countOf(maximum, `The maximum of ${name}`);
  if (least > most) throw refused(`The minimum of ${name} is above its maximum`);
  return { characters, minimum: least, maximum: most };
}

function countOf(value: JsonValue, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LONGEST) return value;
  throw refused(`${what} is ${JSON.stringify(value)}, and must be a whole number from 0 to ${LONGEST}`);
}

function refused(message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, { id: 'SCRIPT_BAD_RANDOM', ...(hint === undefined ? {} : { hint }) });
}

function countOfAll(parts: readonly { readonly count: number }[]): number {
  return parts.reduce((total, { count }) => total + count, 0);
}

function pick<T>(items: readonly T[]): T {
  return items[randomInt(items.length)]!;
}

/** Fisher and Yates. */
function shuffled(items: readonly string[]): string[] {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
  return list;
}
