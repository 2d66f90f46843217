import { useState } from 'react';
import { fileOf, type Hook, hooksOf } from '../../declared/hooks.ts';
import type { DeclaredType, Managed } from '../../declared/managed.ts';
import { Table } from '../../parts/table.tsx';
import { useWords } from '../../words/words.ts';
import { HookDialog } from './hook-dialog.tsx';
import { words } from './words.ts';

/** Which script runs at which step of a life; each can be set. */
export function HookList({
  managed,
  declared,
}: {
  readonly managed: Managed;
  readonly declared: DeclaredType;
}) {
  const t = useWords(words);
  const [open, setOpen] = useState<Hook>();
  return (
    <>
      <Table
        label={t.hooks}
        columns={[
          {
            id: 'name',
            title: t.hook,
            cell: ({ name, property }) => (
              <>
                <code>{name}</code> {property === undefined ? null : t.ofProperty(property)}
              </>
            ),
            width: 'minmax(12rem, 1fr)',
          },
          { id: 'runs', title: t.runs, cell: ({ name }) => t[name], width: 'minmax(20rem, 2fr)' },
          {
            id: 'script',
            title: t.script,
            cell: (hook) => (hook.script === undefined ? t.noScript : (fileOf(hook) ?? t.inline)),
            width: 'minmax(16rem, 1.5fr)',
          },
        ]}
        rows={hooksOf(declared)}
        idOf={({ name, property = '' }) => `${name} ${property}`}
        onOpen={setOpen}
        maxHeight="none"
      />
      {open === undefined ? null : (
        <HookDialog managed={managed} declared={declared} hook={open} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
