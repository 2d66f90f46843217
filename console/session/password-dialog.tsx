import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';

/** The password once more, for what is protected. */
export function PasswordDialog({
  onAnswer,
  onCancel,
}: {
  readonly onAnswer: (password: string) => void;
  readonly onCancel: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer(password);
  };
  return (
    <Dialog title={t.reauthenticate} onClose={onCancel}>
      <p>{t.reauthenticateText}</p>
      <form className="stack" onSubmit={submit}>
        <TextField
          label={t.password}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          autoFocus
        />
        <DialogFoot>
          <Button onPress={onCancel}>{c.cancel}</Button>
          <Button type="submit" look="primary" isDisabled={password === ''}>
            {t.confirm}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
