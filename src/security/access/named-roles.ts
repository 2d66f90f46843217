import { CONDITION_NAMES } from './conditions.ts';

const COMMENT = /\/\*.*?\*\/|^[^\S\n]*\/\/[^\n]*$/gms;
/** What else a rule says, in words that are no roles, or in those that are read as such. */
const OTHER_MEMBER =
  /\b(?:pattern|roles|methods|actions|excludePatterns)\b["']?\s*:\s*(["'])(?:\\.|(?!\1)[^\\])*\1/g;
/** These take names of types and of their properties. */
const OTHER_CALL = new RegExp(
  `\\b(?:${CONDITION_NAMES.filter((name) => name !== 'hasRole').join('|')})\\s*\\([^()]*\\)`,
  'g',
);

/**
 * What may be the name of a role in what `script/access.js` says beside the `roles` of its rules: whatever stands in quotes there, be it
 * in a condition or in a function that one calls. In lower case, as rules compare roles.
 *
 * @param texts the file, and the conditions that it has come to
 */
export function namesIn(texts: readonly string[]): ReadonlySet<string> {
  const words = texts.flatMap((text) =>
    [COMMENT, OTHER_MEMBER, OTHER_CALL]
      .reduce((left, pattern) => left.replace(pattern, ' '), text)
      .split(/[\\"'`,]+/),
  );
  return new Set(words.map((word) => word.trim().toLowerCase()));
}
