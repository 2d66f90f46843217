import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { SvcError } from '#client/index.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { TextField } from '../parts/field.tsx';
import { useWords } from '../words/words.ts';
import { entrance, type Identity, leaveFor, logIn } from './identity.ts';
import { words } from './words.ts';

/** Name and password, or the way to an issuer. */
export function LoginForm({ onLogin }: { readonly onLogin: (identity: Identity) => void }) {
  const t = useWords(words);
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const ways = useQuery({ queryKey: ['entrance'], queryFn: entrance, retry: 1 });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onLogin(await logIn(user, password));
    } catch (thrown) {
      setError(thrown);
      setPassword('');
    } finally {
      setBusy(false);
    }
  };
  const leave = async (provider: string) => {
    try {
      location.assign(await leaveFor(provider, location.pathname + location.search));
    } catch (thrown) {
      setError(thrown);
    }
  };
  const isWrong = error instanceof SvcError && error.id === 'AUTH_REQUIRED';
  const providers = ways.data?.providers ?? [];
  return (
    <div className="stack">
      {isWrong ? (
        <p className="problem" role="alert">
          {t.wrong}
        </p>
      ) : error === undefined ? null : (
        <ErrorNote error={error} />
      )}
      {ways.data?.password === false ? (
        <p>{t.noPassword}</p>
      ) : (
        <form className="stack" onSubmit={submit}>
          <TextField
            label={t.user}
            value={user}
            onChange={setUser}
            autoComplete="username"
            name="username"
            autoFocus
          />
          <TextField
            label={t.password}
            type="password"
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            name="password"
          />
          <Button type="submit" look="primary" isPending={isBusy} isDisabled={user === '' || password === ''}>
            {t.logIn}
          </Button>
        </form>
      )}
      {providers.map(({ provider, title }) => (
        <Button key={provider} onPress={() => void leave(provider)}>
          {t.with(title ?? provider)}
        </Button>
      ))}
    </div>
  );
}
