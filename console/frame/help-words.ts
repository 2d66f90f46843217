import { wordsOf } from '../words/words.ts';

export const words = wordsOf(
  {
    keys: 'Keys',
    keysPalette: 'Search or go to',
    keysHelp: 'This list',
    keysGo: (title: string) => `Go to ${title}`,
    keysFilter: 'Filter',
    keysRows: 'Next and previous row',
    keysOpen: 'Open the row',
    keysReview: 'Review what was typed; in a review, apply it',
    keysActions: 'On an object, a schedule, an instance: what can be done with it',
    keysUndo: 'There as well: take its last change back',
    keysWhy: 'There as well: why it is as it is',
    keysCopy: 'There as well: the request that reads it, to be copied',
  },
  {
    keys: 'Tasten',
    keysPalette: 'Suchen oder gehen zu',
    keysHelp: 'Diese Liste',
    keysGo: (title: string) => `Zu ${title}`,
    keysFilter: 'Filtern',
    keysRows: 'Nächste und vorige Zeile',
    keysOpen: 'Zeile öffnen',
    keysReview: 'Prüfen, was eingegeben ist; in einer Prüfung anwenden',
    keysActions: 'An Objekt, Zeitplan, Instanz: was sich damit tun lässt',
    keysUndo: 'Ebenso dort: die letzte Änderung zurücknehmen',
    keysWhy: 'Ebenso dort: warum es so ist, wie es ist',
    keysCopy: 'Ebenso dort: die Anfrage, die es liest, zum Kopieren',
  },
);
