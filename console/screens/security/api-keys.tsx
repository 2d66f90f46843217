import { useState } from 'react';
import { usePages } from '../../live/pages.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Empty } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const DAY_MS = 86_400_000;
const DAYS = 90;

interface ApiKey {
  readonly _id: string;
  readonly roles: readonly string[];
  readonly description: string | null;
  readonly createdBy: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** Keys of programs. One that is made is shown once, and kept nowhere. */
export function ApiKeys() {
  const t = useWords(words);
  const review = useReview();
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<string>();
  const list = usePages<ApiKey>({
    key: ['apikey', 'list'],
    path: 'apikey',
    parameters: { _queryFilter: 'true', _sortKeys: '_id', _pageSize: PAGE_SIZE },
  });
  const remove = ({ _id }: ApiKey) =>
    void review({
      title: t.revokeTitle(_id),
      done: t.revokeDone(_id),
      call: { method: 'DELETE', path: ['apikey', _id] },
      typed: _id,
      touches: ['apikey'],
    });
  const columns: readonly Column<ApiKey>[] = [
    { id: 'id', title: t.key, cell: ({ _id }) => _id, width: 'minmax(10rem, 1fr)' },
    {
      id: 'description',
      title: t.description,
      cell: ({ description }) => description,
      width: 'minmax(12rem, 1.5fr)',
    },
    { id: 'roles', title: t.roles, cell: ({ roles }) => roles.join(', '), width: 'minmax(10rem, 1fr)' },
    { id: 'by', title: t.madeBy, cell: ({ createdBy }) => createdBy, width: 'minmax(12rem, 1fr)' },
    { id: 'used', title: t.lastUsed, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />, width: '9rem' },
    { id: 'until', title: t.until, cell: ({ expiresAt }) => <Ago at={expiresAt} />, width: '9rem' },
  ];
  return (
    <div className="stack">
      <div className="row">
        <p className="soft grow">{t.revokeHint}</p>
        <Button look="primary" icon="plus" onPress={() => setNew(true)}>
          {t.newKey}
        </Button>
      </div>
      <PageList
        of={list}
        empty={<Empty icon="security" title={t.noKeys} />}
        label={t.apiKeys}
        columns={columns}
        onOpen={remove}
      />
      {isNew ? (
        <NewKey
          onClose={() => setNew(false)}
          onMade={(key) => {
            setNew(false);
            setMade(key);
          }}
        />
      ) : null}
      {made === undefined ? null : <MadeKey secret={made} onClose={() => setMade(undefined)} />}
    </div>
  );
}

function NewKey({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (key: string) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const [id, setId] = useState('');
  const [roles, setRoles] = useState('svc-authorized');
  const [description, setDescription] = useState('');
  const [until, setUntil] = useState(() => new Date(Date.now() + DAYS * DAY_MS).toISOString().slice(0, 10));
  const make = async () => {
    const done = await review({
      title: t.makeTitle(id),
      done: t.makeDone(id),
      call: {
        method: 'PUT',
        path: ['apikey', id],
        headers: { 'If-None-Match': '*' },
        body: {
          roles: roles.split(',').map((role) => role.trim()),
          ...(description === '' ? {} : { description }),
          ...(until === '' ? {} : { expiresAt: `${until}T00:00:00Z` }),
        },
      },
      touches: ['apikey'],
    });
    const answer = done?.answer;
    if (typeof answer === 'object' && answer !== null && 'key' in answer) onMade(String(answer.key));
  };
  return (
    <Dialog title={t.newKey} onClose={onClose}>
      <TextField label={t.key} value={id} onChange={setId} hint={t.idHint} autoComplete="off" autoFocus />
      <TextField label={t.roles} value={roles} onChange={setRoles} hint={t.rolesHint} autoComplete="off" />
      <TextField label={t.description} value={description} onChange={setDescription} autoComplete="off" />
      <TextField label={t.untilDay} value={until} onChange={setUntil} hint={t.untilHint} autoComplete="off" />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!/^[\w-]+$/.test(id)} onPress={() => void make()}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function MadeKey({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  return (
    <Dialog title={t.shownOnce}>
      <p>{t.shownOnceText}</p>
      <TextField label={t.key} value={secret} onChange={() => undefined} isReadOnly />
      <DialogFoot>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(secret)}>
          {c.copy}
        </Button>
        <Button look="primary" onPress={onClose}>
          {t.kept}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
