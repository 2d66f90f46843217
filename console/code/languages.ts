import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { xml } from '@codemirror/lang-xml';
import { StreamLanguage } from '@codemirror/language';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import type { Extension } from '@codemirror/state';

export type Language = 'javascript' | 'groovy' | 'json' | 'xml';

const LANGUAGES: Readonly<Record<Language, () => Extension>> = {
  javascript,
  groovy: () => StreamLanguage.define(groovy),
  json,
  xml,
};

export function languageOf(language: Language): Extension {
  return LANGUAGES[language]();
}
