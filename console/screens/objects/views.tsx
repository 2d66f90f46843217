import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page, Stored } from '#client/index.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { type ListSearch, searchOf } from './routes.ts';
import { words } from './words.ts';

interface View {
  readonly title: string;
  readonly state: Readonly<Record<string, unknown>>;
}

const KEEP = 'keep';
const FORGET = 'forget ';

/** What somebody looks for again and again: filter, order and columns of a list, kept under a name. Some are shared by others. */
export function Views({
  type,
  search,
  onGo,
}: {
  readonly type: string;
  readonly search: ListSearch;
  readonly onGo: (search: ListSearch) => void;
}) {
  const t = useWords(words);
  const review = useReview();
  const [isNaming, setNaming] = useState(false);
  const area = `managed/${type}`;
  const views = useQuery({
    queryKey: ['view', area],
    queryFn: () =>
      client.send<Page<Stored<View>>>({
        method: 'GET',
        path: ['view'],
        parameters: { _queryFilter: `area eq ${JSON.stringify(area)}`, _fields: '*', _sortKeys: 'title' },
      }),
    retry: false,
  });
  const kept = views.data?.result ?? [];
  const same = kept.find(({ state }) => JSON.stringify(searchOf(state)) === JSON.stringify(searchOf(search)));
  const forget = ({ _id, title }: Stored<View>) =>
    void review({
      title: t.viewForgetTitle(title),
      done: t.viewForgotten(title),
      call: { method: 'DELETE', path: ['view', _id] },
      touches: ['view'],
    });
  return (
    <>
      <Menu
        label={same === undefined ? t.views : t.viewOf(same.title)}
        choices={[
          ...kept.map(({ _id, title }) => ({ id: _id, title })),
          ...(same === undefined
            ? [{ id: KEEP, title: t.viewKeep }]
            : [{ id: `${FORGET}${same._id}`, title: t.viewForget(same.title) }]),
        ]}
        onChoose={(id) => {
          const chosen = kept.find(({ _id }) => id === _id);
          if (id === KEEP) setNaming(true);
          else if (chosen !== undefined) onGo(searchOf(chosen.state));
          else if (same !== undefined) forget(same);
        }}
      />
      {isNaming ? (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(title) => {
            setNaming(false);
            void review({
              title: t.viewKeepTitle(title),
              done: t.viewKept(title),
              call: { method: 'POST', path: ['view'], body: { title, area, state: searchOf(search) } },
              touches: ['view'],
            });
          }}
        />
      ) : null}
    </>
  );
}

function NameDialog({
  onName,
  onClose,
}: {
  readonly onName: (title: string) => void;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [title, setTitle] = useState('');
  return (
    <Dialog title={t.viewKeep} onClose={onClose}>
      <TextField label={t.viewName} value={title} onChange={setTitle} autoFocus autoComplete="off" />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={title.trim() === ''} onPress={() => onName(title.trim())}>
          {t.bulkReview}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
