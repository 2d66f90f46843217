/**
 * Names by which people log in. Two that a reader takes for the same are the same name: those that differ in case, in
 * width, in blanks around them or in characters that are not seen, and those that are written in another alphabet with
 * letters that look alike.
 */

/** The name in the form in which names are compared. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .toLowerCase()
    .normalize('NFKC');
}

/** What no two accounts may share. A name of look-alikes throughout has the key of the name that it looks like. */
export function nameKey(name: string): string {
  const folded = foldName(name);
  const letters = [...folded];
  const isAlike = letters.every((letter) => letter in LOOK_ALIKES || /\p{ASCII}/u.test(letter));
  return isAlike ? letters.map((letter) => LOOK_ALIKES[letter] ?? letter).join('') : folded;
}

/** Whether letters of several alphabets stand in one name, other than those that are written together. */
export function mixesAlphabets(name: string): boolean {
  const found = ALPHABETS.filter(({ letters }) => letters.test(name)).map(({ script }) => script);
  return found.length > 1 && !TOGETHER.some((scripts) => found.every((script) => scripts.includes(script)));
}

const ALPHABETS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Coptic',
  'Armenian',
  'Georgian',
  'Cherokee',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Hangul',
].map((script) => ({ script, letters: new RegExp(`(?=\\p{L})\\p{Script=${script}}`, 'u') }));

const TOGETHER: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Small letters of other alphabets, also by what their capitals look like, and the Latin letter that they resemble. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...pairs('авеёнікмоөпрсѕтухјһԁԛԝьґӏ', 'abeehikmoonpcstyxjhdqwbrl'),
  ...pairs('αβεηικμνορτυχγω', 'abehikmvoptuxyw'),
  ...pairs('ıɑɡƒ', 'iagf'),
};

function pairs(letters: string, latin: string): Record<string, string> {
  return Object.fromEntries([...letters].map((letter, index) => [letter, [...latin][index]!]));
}
