import { wordsOf } from '../words/words.ts';

export const words = wordsOf(
  {
    script: 'Script',
    noScript: 'none',
    javascript: 'JavaScript',
    groovy: 'Groovy',
    file: 'A file',
    path: 'Path of the file',
    pathExample: 'script/example.js',
    other: 'This is no plain script; it is changed in the configuration.',
  },
  {
    script: 'Skript',
    noScript: 'keines',
    javascript: 'JavaScript',
    groovy: 'Groovy',
    file: 'Eine Datei',
    path: 'Pfad der Datei',
    pathExample: 'script/example.js',
    other: 'Das ist kein einfaches Skript; es wird in der Konfiguration geändert.',
  },
);
