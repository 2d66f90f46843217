import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import type { Aside } from './aside.ts';
import { words } from './words.ts';

const HOUR_MS = 3_600_000;
const HOURS = { hour: 1, hours: 8, day: 24, week: 168 } as const;
const SPANS = ['hour', 'hours', 'day', 'week'] as const;
const MOST_LETTERS = 200;

/** For how long somebody does not want to see something, and why. */
export function AsideDialog({
  what,
  onAside,
  onClose,
}: {
  readonly what: string;
  readonly onAside: (aside: Aside) => void;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [span, setSpan] = useState<(typeof SPANS)[number]>('hour');
  const [reason, setReason] = useState('');
  const told = reason.trim();
  const until = () => new Date(Date.now() + HOURS[span] * HOUR_MS).toISOString();
  return (
    <Dialog title={t.asideTitle(what)} onClose={onClose}>
      <p className="soft">{t.asideSays}</p>
      <Select
        label={t.asideSpan}
        value={span}
        choices={SPANS.map((id) => ({ id, title: t[id] }))}
        onChange={(next) => setSpan(SPANS.find((id) => id === next) ?? 'hour')}
      />
      <TextField
        label={t.asideReason}
        value={reason}
        onChange={(next) => setReason(next.slice(0, MOST_LETTERS))}
        isRequired
        autoFocus
        autoComplete="off"
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button
          look="primary"
          isDisabled={told === ''}
          onPress={() => onAside({ until: until(), reason: told })}
        >
          {t.asideReview}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
