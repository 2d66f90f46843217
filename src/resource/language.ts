import type { Context } from './context.ts';

const LANGUAGES = ['en', 'de'] as const;

/** A language in which the server has words for people. */
export type Language = (typeof LANGUAGES)[number];

/** What the caller reads best of these, by its `Accept-Language` (RFC 9110, 12.5.4); English where it does not say. */
export function languageOf({ http }: Pick<Context, 'http'>): Language {
  const asked = (http?.headers['accept-language'] ?? '')
    .slice(0, 200)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { language: tag.split('-', 1)[0], weight: Number(weight) || 0 };
    });
  const best = asked
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ language }) => LANGUAGES.filter((known) => known === language));
  return best[0] ?? 'en';
}
