import { wordsOf } from '../words/words.ts';

export const words = wordsOf(
  {
    nothingToUndo: 'The trail has no change of it.',
    copyTitle: 'The request that reads this',
    copy: (as: string) => `Copy for ${as}`,
  },
  {
    nothingToUndo: 'Das Protokoll hat keine Änderung davon.',
    copyTitle: 'Die Anfrage, die dies liest',
    copy: (as: string) => `Kopieren für ${as}`,
  },
);
