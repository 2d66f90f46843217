import type { Call } from '#client/index.ts';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';
import { isDoneOnce } from './write.ts';

/** The server has gone away while it was asked for a change: what is known of that, and what can be done now. */
export function Unanswered({ call, error }: { readonly call: Call; readonly error: unknown }) {
  const t = useWords(words);
  return (
    <div className="note warn" role="alert">
      <Icon name="warn" />
      <div className="note-body">
        <p className="title">{t.unanswered}</p>
        <p>{t.unansweredText}</p>
        <p>{isDoneOnce(call) ? t.againIsSafe : t.againIsTwice}</p>
        <p className="ids">
          <code>{error instanceof Error ? error.message : String(error)}</code>
        </p>
      </div>
    </div>
  );
}
