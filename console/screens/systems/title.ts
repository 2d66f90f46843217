import { wordsOf } from '../../words/words.ts';

/** Apart from the other words, for it is needed before the screen is. */
export const title = wordsOf({ title: 'Systems' }, { title: 'Systeme' });
