import { Navigate } from '@tanstack/react-router';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import { useTypes } from './types.ts';
import { words } from './words.ts';

/** Leads to the first type. */
export function StartPage() {
  const t = useWords(words);
  const types = useTypes();
  return (
    <Page title={t.title}>
      <Loaded of={types}>
        {([first]) =>
          first === undefined ? (
            <Empty icon="lock" title={t.noTypes}>
              <p>{t.noTypesText}</p>
            </Empty>
          ) : (
            <Navigate to={`/objects/${first.type}`} replace />
          )
        }
      </Loaded>
    </Page>
  );
}
