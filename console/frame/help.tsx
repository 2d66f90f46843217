import { Dialog } from '../parts/dialog.tsx';
import { useLanguage, useWords } from '../words/words.ts';
import { words } from './help-words.ts';
import type { Screen } from './screen.ts';

/** The keys that act on every page. */
export function Help({
  screens,
  onClose,
}: {
  readonly screens: readonly Screen[];
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const language = useLanguage();
  const rows: readonly (readonly [string, string])[] = [
    ['Ctrl K', t.keysPalette],
    ['?', t.keysHelp],
    ['/', t.keysFilter],
    ['j  k', t.keysRows],
    ['Enter', t.keysOpen],
    ['Ctrl Enter', t.keysReview],
    ['.', t.keysActions],
    ['u', t.keysUndo],
    ['w', t.keysWhy],
    ['y', t.keysCopy],
    ...screens.map((screen) => [`g ${screen.key}`, t.keysGo(screen.words[language].title)] as const),
  ];
  return (
    <Dialog title={t.keys} onClose={onClose}>
      <dl className="facts">
        {rows.map(([key, what]) => (
          <div key={key} className="fact-row">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
