import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { SvcError } from '#client/index.ts';
import { showAppearance } from './frame/appearance.ts';
import { LanguageChoiceContext } from './frame/language-choice.ts';
import { buildRouter } from './frame/router.tsx';
import { Loading } from './parts/page.tsx';
import { Session } from './session/session.tsx';
import { keepLanguage, LANGUAGES, LanguageContext, preferredLanguage } from './words/words.ts';
import './style/theme.css';
import './style/parts.css';

showAppearance();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // What is refused is refused the next time, too; the client itself is patient with a server that is busy.
      retry: (failures, error) => !(error instanceof SvcError) && failures < 2,
    },
  },
});
const router = buildRouter();

function Console() {
  const [language, setLanguage] = useState(preferredLanguage);
  document.documentElement.lang = language;
  const choose = (tag: string) => {
    const next = Object.keys(LANGUAGES).find((each) => each === tag);
    if (next !== 'en' && next !== 'de') return;
    keepLanguage(next);
    setLanguage(next);
    void queries.invalidateQueries();
  };
  return (
    <I18nProvider locale={language}>
      <LanguageContext value={language}>
        <LanguageChoiceContext value={choose}>
          <QueryClientProvider client={queries}>
            <Session>
              <Suspense fallback={<Loading />}>
                <RouterProvider router={router} />
              </Suspense>
            </Session>
          </QueryClientProvider>
        </LanguageChoiceContext>
      </LanguageContext>
    </I18nProvider>
  );
}

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
}
