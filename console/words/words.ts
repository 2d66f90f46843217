import { createContext, useContext } from 'react';
import { perhapsPseudo } from './pseudo.ts';

/**
 * Words of the console. Each folder has its own, in one object for each language: texts, and functions where something stands
 * in them. So a word that is missing, or is given the wrong things, does not compile.
 */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The shape that all languages share. */
type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };

export type Words<T> = { readonly [L in Language]: Shape<T> };

export function wordsOf<T extends object>(en: T, de: Shape<T>): Words<T> {
  return { en: en as Shape<T>, de };
}

export const LanguageContext = createContext<Language>('en');

export function useLanguage(): Language {
  return useContext(LanguageContext);
}

export function useWords<T extends object>(words: Words<T>): Shape<T> {
  return perhapsPseudo(words[useLanguage()]);
}

const KEPT = 'svc.language';

/** As chosen here before, else as the browser says. */
export function preferredLanguage(): Language {
  const asked = [localStorage.getItem(KEPT) ?? '', ...navigator.languages];
  for (const tag of asked) {
    const language = tag.slice(0, 2);
    if (isLanguage(language)) return language;
  }
  return 'en';
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}
