import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { NotAllowedError } from '#client/index.ts';
import icon from '../icon.svg';
import { Dialog } from '../parts/dialog.tsx';
import { EnvironmentBanner } from '../parts/environment-banner.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loading } from '../parts/page.tsx';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { BASE, setDoorkeeper } from './client.ts';
import { comeBack, type Identity, IdentityContext, whoAmI } from './identity.ts';
import { LoginForm } from './login-form.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import styles from './session.module.css';
import { words } from './words.ts';

type State =
  | { readonly is: 'asking' }
  | { readonly is: 'nobody' }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'somebody'; readonly identity: Identity };

interface Asked {
  readonly answer: (password: string) => void;
  readonly refuse: (reason: Error) => void;
}

/** Lets in whoever has a session. When it ends, the page stays as it is behind the question who is there. */
export function Session({ children }: { readonly children: ReactNode }) {
  const t = useWords(words);
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ is: 'asking' });
  const [hasEnded, setEnded] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const isIn = useRef(false);
  isIn.current = state.is === 'somebody';
  useEffect(() => {
    setDoorkeeper({
      sessionEnded: () => {
        if (isIn.current) setEnded(true);
      },
      askPassword: () =>
        new Promise((answer, refuse) => {
          setAsked({ answer, refuse });
        }),
    });
    void arrive().then(setState);
    return () => setDoorkeeper(undefined);
  }, []);
  const enter = (identity: Identity) => {
    const was = state.is === 'somebody' ? state.identity : undefined;
    // Nothing of one person is shown to the next.
    if (was !== undefined && (was.id !== identity.id || was.component !== identity.component)) {
      location.reload();
      return;
    }
    setEnded(false);
    setState({ is: 'somebody', identity });
    void queries.invalidateQueries();
  };
  if (state.is === 'asking') return <Door>{<Loading />}</Door>;
  if (state.is === 'failed') {
    return (
      <Door>
        <ErrorNote error={state.error} retry={() => void arrive().then(setState)} />
      </Door>
    );
  }
  if (state.is === 'nobody') {
    return (
      <Door>
        <LoginForm onLogin={enter} />
      </Door>
    );
  }
  return (
    <IdentityContext value={state.identity}>
      {children}
      {hasEnded ? <Ended onLogin={enter} /> : null}
      {asked === undefined ? null : (
        <PasswordDialog
          onAnswer={(password) => {
            setAsked(undefined);
            asked.answer(password);
          }}
          onCancel={() => {
            setAsked(undefined);
            asked.refuse(new Error(t.reauthenticateText));
          }}
        />
      )}
    </IdentityContext>
  );
}

/** A dialog that opens after this one, such as that whose question nobody was there to ask, would shut it in behind itself. */
function Ended({ onLogin }: { readonly onLogin: (identity: Identity) => void }) {
  const t = useWords(words);
  const [raised, setRaised] = useState(0);
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const overlay = inside.current?.closest('body > *');
    if (overlay === null || overlay === undefined) return undefined;
    const observer = new MutationObserver(() => {
      if (overlay.hasAttribute('inert')) setRaised(raised + 1);
    });
    observer.observe(overlay, { attributeFilter: ['inert'] });
    return () => observer.disconnect();
  }, [raised]);
  return (
    <Dialog key={raised} title={t.again}>
      <div ref={inside}>
        <p>{t.againText}</p>
        <LoginForm onLogin={onLogin} />
      </div>
    </Dialog>
  );
}

function Door({ children }: { readonly children: ReactNode }) {
  const t = useWords(common);
  return (
    <>
      <EnvironmentBanner />
      <main className={styles['door']}>
        <div className={styles['brand']}>
          <img src={icon} alt="" />
          <h1>{t.product}</h1>
        </div>
        <div className={`card ${styles['box']}`}>{children}</div>
      </main>
    </>
  );
}

/** Whoever comes back from an issuer hands in what they were sent with. */
async function arrive(): Promise<State> {
  try {
    const search = new URLSearchParams(location.search);
    const isBack = location.pathname === `${BASE}login` && search.has('state');
    if (isBack) {
      const page = await comeBack(search);
      history.replaceState(null, '', page);
    }
    return { is: 'somebody', identity: await whoAmI() };
  } catch (error) {
    return error instanceof NotAllowedError && error.code === 401
      ? { is: 'nobody' }
      : { is: 'failed', error };
  }
}
