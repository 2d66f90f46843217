import { createRoute, createRouter, Link, Navigate } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { SCREENS } from '../screens.ts';
import { BASE } from '../session/client.ts';
import { useWords } from '../words/words.ts';
import { rootRoute } from './root-route.ts';
import { useScreens } from './screens-of-caller.ts';
import { Shell } from './shell.tsx';
import { words } from './words.ts';

const startRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: Start });
/** Where an issuer sends people back to. */
const loginRoute = createRoute({ getParentRoute: () => rootRoute, path: '/login', component: Start });

export function buildRouter() {
  rootRoute.update({ component: Shell });
  return createRouter({
    routeTree: rootRoute.addChildren([startRoute, loginRoute, ...SCREENS.flatMap(({ routes }) => routes)]),
    basepath: BASE.replace(/\/$/, ''),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Failed,
  });
}

/** The first area that is open to whoever is there. */
function Start() {
  const screens = useScreens();
  if (screens === undefined) return <Loading />;
  const [first] = screens;
  return first === undefined ? <NotFound /> : <Navigate to={`/${first.id}`} replace />;
}

function NotFound() {
  const t = useWords(words);
  return (
    <Page title={t.notFound}>
      <Empty icon="search" title={t.notFound}>
        <p>{t.notFoundText}</p>
        <Link to="/home">{t.home}</Link>
      </Empty>
    </Page>
  );
}

/** A part of the console that is gone from the server was built anew. */
function Failed({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const t = useWords(words);
  const isGone = /dynamically imported module|module script/i.test(String(error));
  return (
    <Page title={t.failed}>
      {isGone ? <p>{t.newer}</p> : <ErrorNote error={error} retry={reset} />}
      {isGone ? (
        <p>
          <Button onPress={() => location.reload()}>{t.reload}</Button>
        </p>
      ) : null}
    </Page>
  );
}
