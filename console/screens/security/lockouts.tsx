import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '#client/index.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Empty, Loaded } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

interface Lockout {
  readonly _id: string;
  readonly account?: string | null;
  readonly address?: string | null;
  readonly failures: number;
  readonly blocked: boolean;
  readonly blockedUntil?: string | null;
  readonly failedAt?: string;
}

/** Who has to wait after failed logins. The list knows accounts by a hash of theirs; the end of a wait takes the name. */
export function Lockouts() {
  const t = useWords(words);
  const review = useReview();
  const [name, setName] = useState('');
  const lockouts = useQuery({
    queryKey: ['lockout', 'list'],
    queryFn: () =>
      client.send<Page<Lockout>>({
        method: 'GET',
        path: ['authentication', 'lockout'],
        parameters: { _queryFilter: 'true' },
      }),
    retry: false,
  });
  const unlock = () =>
    void review({
      title: t.unlockTitle(name),
      done: t.unlockDone(name),
      call: { method: 'DELETE', path: ['authentication', 'lockout', name] },
      touches: ['lockout'],
    });
  const columns: readonly Column<Lockout>[] = [
    {
      id: 'account',
      title: t.account,
      cell: ({ account, _id }) => <code>{account ?? _id}</code>,
      width: 'minmax(12rem, 2fr)',
    },
    { id: 'address', title: t.address, cell: ({ address }) => address ?? '–', width: 'minmax(10rem, 1fr)' },
    { id: 'failures', title: t.failures, cell: ({ failures }) => failures, width: '9rem' },
    {
      id: 'blocked',
      title: t.state,
      cell: ({ blocked }) => (
        <Badge tone={blocked ? 'warn' : 'quiet'} mark={blocked ? '‖' : '○'}>
          {blocked ? t.waits : t.mayTry}
        </Badge>
      ),
      width: '10rem',
    },
    { id: 'until', title: t.until, cell: ({ blockedUntil }) => <Ago at={blockedUntil} />, width: '9rem' },
  ];
  return (
    <div className="stack">
      <div className="narrow stack">
        <TextField
          label={t.accountName}
          value={name}
          onChange={setName}
          hint={t.unlockHint}
          autoComplete="off"
        />
        <div>
          <Button isDisabled={name === ''} onPress={unlock}>
            {t.unlock}
          </Button>
        </div>
      </div>
      <Loaded of={lockouts}>
        {({ result }) =>
          result.length === 0 ? (
            <Empty icon="check" title={t.noLockouts} />
          ) : (
            <Table label={t.lockouts} columns={columns} rows={result} idOf={({ _id }) => _id} />
          )
        }
      </Loaded>
    </div>
  );
}
