import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { useWords } from '../words/words.ts';
import { useReview } from '../write/review.tsx';
import type { Write } from '../write/write.ts';
import { words } from './words.ts';

/** What many objects of a collection are frozen by, and what is done with each. */
export type Order = JsonObject & { readonly act: string; readonly resource: string };

/** Has something done with many objects: it is tried on the first of them, and begun when that is wanted. */
export function useOperation() {
  const t = useWords(words);
  const review = useReview();
  const [id, setId] = useState<string>();
  const begin = async (title: string, order: Order, { typed }: Pick<Write, 'typed'> = {}) => {
    const done = await review({
      title,
      done: t.done,
      call: { method: 'POST', path: ['operation'], body: order },
      ...(typed === undefined ? {} : { typed }),
      touches: ['operation', 'audit'],
    });
    const { _id }: JsonObject = { ...Object(done?.answer) };
    if (typeof _id === 'string') setId(_id);
  };
  return { id, begin };
}

/** What is asked for before something is offered that is done with many. */
export const MANY = { method: 'create', path: 'operation' } as const;
