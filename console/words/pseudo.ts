const isAsked = localStorage.getItem('svc.language') === 'pseudo';
const made = new WeakMap<object, object>();

/**
 * For tests: English, each text in brackets and longer by half, so that one sees which text is not the console's, and which
 * place is too narrow for another language.
 */
export function perhapsPseudo<T extends object>(words: T): T {
  if (!isAsked) return words;
  const known = made.get(words) ?? longer(words);
  made.set(words, known);
  return known as T;
}

function longer(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, word]) => [name, longerWord(word)]));
}

function longerWord(word: unknown): unknown {
  if (typeof word === 'string') return `⟦${word} ${'lorem '.repeat(Math.ceil(word.length / 12))}⟧`;
  if (typeof word === 'function') return (...given: unknown[]) => longerWord(word(...given));
  return typeof word === 'object' && word !== null ? longer(word) : word;
}
