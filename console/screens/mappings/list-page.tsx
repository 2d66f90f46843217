import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Loaded, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { type Declared, type Run, useMappings, useRuns } from './mapping.ts';
import { addressOf } from './routes.ts';
import { words } from './words.ts';

export function ListPage() {
  const t = useWords(words);
  const c = useWords(common);
  const [isNew, setNew] = useState(false);
  const mappings = useMappings();
  const runs = useRuns();
  const columns: readonly Column<Declared>[] = [
    { id: 'name', title: t.mapping, cell: ({ mapping }) => mapping.name, width: 'minmax(12rem, 1fr)' },
    {
      id: 'sides',
      title: t.sides,
      cell: ({ mapping: { source, target } }) => (
        <code>
          {source} → {target}
        </code>
      ),
      width: 'minmax(16rem, 2fr)',
    },
    {
      id: 'sync',
      title: t.follows,
      cell: ({ mapping: { enableSync } }) => (enableSync === false ? c.no : c.yes),
      width: '10rem',
    },
    {
      id: 'run',
      title: t.lastRun,
      cell: ({ mapping: { name } }) => (
        <LastRun of={runs.data?.result.find(({ mapping }) => mapping === name)} />
      ),
      width: 'minmax(16rem, 1fr)',
    },
    { id: 'file', title: t.file, cell: ({ file }) => <code>{file}</code>, width: '12rem' },
  ];
  useKeys({ n: () => setNew(true) });
  return (
    <Page
      title={t.title}
      says={t.says}
      actions={
        <Button look="primary" icon="plus" onPress={() => setNew(true)}>
          {t.create}
        </Button>
      }
    >
      <Loaded of={mappings}>
        {(found) => (
          <>
            {found.length === 0 ? (
              <Empty icon="mappings" title={t.none} />
            ) : (
              <Table
                label={t.title}
                columns={columns}
                rows={found}
                idOf={({ mapping: { name } }) => name}
                linkOf={({ mapping: { name } }) => addressOf(name)}
              />
            )}
            {isNew ? (
              <NewDialog taken={found.map(({ mapping: { name } }) => name)} onClose={() => setNew(false)} />
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const LOOKS = {
  ACTIVE: ['info', '◍'],
  SUCCESS: ['good', '✓'],
  CANCELED: ['quiet', '⊘'],
  FAILED: ['bad', '✖'],
} as const;

function LastRun({ of: run }: { readonly of: Run | undefined }) {
  const t = useWords(words);
  if (run === undefined) return <span className="soft">{t.never}</span>;
  const { state, mode, started } = run;
  const [tone, mark] = LOOKS[state];
  return (
    <span className="row">
      <Badge tone={tone} mark={mark}>
        {mode === 'plan' ? `${t.plan}, ${t[state]}` : t[state]}
      </Badge>
      <Ago at={started} />
    </span>
  );
}

function NewDialog({ taken, onClose }: { readonly taken: readonly string[]; readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const [target, setTarget] = useState('');
  const isGood = /^[\w-]+$/.test(name) && !taken.includes(name);
  const create = async () => {
    onClose();
    const done = await review({
      title: t.createTitle(name),
      done: t.createDone(name),
      call: {
        method: 'PUT',
        path: ['config', 'mapping', name],
        headers: { 'If-None-Match': '*' },
        // Nothing is brought before somebody has said what.
        body: { name, source, target, enableSync: false, properties: [], policies: [] },
      },
      touches: ['config', 'audit'],
    });
    if (done !== undefined) void navigate({ to: addressOf(name) });
  };
  return (
    <Dialog title={t.create} onClose={onClose}>
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        problem={name === '' || isGood ? undefined : t.badName}
        autoComplete="off"
        autoFocus
      />
      <TextField label={t.source} value={source} onChange={setSource} hint={t.sideHint} autoComplete="off" />
      <TextField label={t.target} value={target} onChange={setTarget} hint={t.sideHint} autoComplete="off" />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button
          look="primary"
          isDisabled={!isGood || source === '' || target === ''}
          onPress={() => void create()}
        >
          {t.create}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
