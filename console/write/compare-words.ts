import { wordsOf } from '../words/words.ts';

export const words = wordsOf(
  {
    compare: 'Compare two states',
    one: 'As it was',
    other: 'As it was later',
    since: (at: string, by: string) => `since ${at} (${by})`,
    before: 'before all of these',
  },
  {
    compare: 'Zwei Stände vergleichen',
    one: 'Wie es war',
    other: 'Wie es später war',
    since: (at: string, by: string) => `seit ${at} (${by})`,
    before: 'vor all diesen',
  },
);
