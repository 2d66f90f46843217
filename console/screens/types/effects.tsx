import { useDeferredValue } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Loaded } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import { usePlan } from '../../write/use-plan.ts';
import { words } from './words.ts';

/** So long somebody has written nothing before the server is asked what it would mean. */
const SETTLED_MS = 300;

/** Asks what a change of a type would mean. @param content `managed.json` as it would be; undefined: there is nothing to ask */
export function useEffects(content: JsonObject | undefined) {
  return usePlan('managed', useDeferredValue(content), SETTLED_MS);
}

/** What a change of a type would mean for the objects that there are. */
export function Effects({ of }: { readonly of: ReturnType<typeof usePlan> }) {
  const t = useWords(words);
  return (
    <Loaded of={of}>
      {({ findings, warnings, effects }) => (
        <section aria-label={t.plan} className="stack">
          <h3>{t.plan}</h3>
          {[...findings, ...warnings].map(({ message }) => (
            <p key={message} className="note warn">
              {message}
            </p>
          ))}
          <ul className="lines">
            {effects.map(({ text, sample }) => (
              <li key={text}>
                <span>{text}</span>
                {sample === undefined ? null : <code className="soft">{sample.join(', ')}</code>}
              </li>
            ))}
            {effects.length === 0 ? <li className="soft">{t.noEffects}</li> : null}
          </ul>
        </section>
      )}
    </Loaded>
  );
}
