import { createContext, useContext } from 'react';

/** Sets the language of the console, by its tag. */
export const LanguageChoiceContext = createContext<(tag: string) => void>(() => undefined);

export function useLanguageChoice(): (tag: string) => void {
  return useContext(LanguageChoiceContext);
}
