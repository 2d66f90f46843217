import { useState } from 'react';
import type { Stored } from '#client/index.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { shown } from '../../write/write.ts';
import type { OneInstance } from './one-instance.ts';
import { words } from './words.ts';

type Variable = readonly [name: string, value: unknown];

/** All that it carries; each can be written anew while it runs. */
export function Variables({ instance }: { readonly instance: Stored<OneInstance> }) {
  const t = useWords(words);
  const [open, setOpen] = useState<Variable>();
  const rows = Object.entries(instance.processVariables).sort(([a], [b]) => a.localeCompare(b));
  const columns: readonly Column<Variable>[] = [
    { id: 'name', title: t.variable, cell: ([name]) => <code>{name}</code>, width: 'minmax(10rem, 1fr)' },
    { id: 'value', title: t.value, cell: ([, value]) => shown(value), width: '44rem' },
  ];
  if (rows.length === 0) return <p className="soft">{t.noVariables}</p>;
  return (
    <>
      <Table
        label={t.variables}
        columns={columns}
        rows={rows}
        idOf={([name]) => name}
        {...(instance.endTime === null ? { onOpen: setOpen } : {})}
      />
      {open === undefined ? null : (
        <VariableDialog instance={instance} variable={open} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function VariableDialog({
  instance: { _id, _rev, processVariables },
  variable: [name, value],
  onClose,
}: {
  readonly instance: Stored<OneInstance>;
  readonly variable: Variable;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(text);
  const save = () => {
    onClose();
    void review({
      title: t.variableTitle(name),
      done: t.variableDone(name),
      call: {
        method: 'PATCH',
        path: ['workflow', 'processinstance', _id],
        headers: { 'If-Match': `"${_rev}"` },
        body: [{ operation: 'replace', field: `/processVariables/${name}`, value: parsed?.value }],
      },
      shows: [{ field: name, before: value, after: parsed?.value }],
      base: { processVariables: JSON.parse(JSON.stringify(processVariables)) },
      touches: ['instance'],
    });
  };
  return (
    <Dialog title={name} isWide onClose={onClose}>
      <TextField
        label={t.json}
        value={text}
        onChange={setText}
        isMultiline
        autoFocus
        problem={parsed === undefined ? t.notJson : undefined}
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={parsed === undefined} onPress={save}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
