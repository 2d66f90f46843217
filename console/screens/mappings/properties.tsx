import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { ScriptField } from '../../code/script-field.tsx';
import { isMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Empty } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { ConditionField, ScriptText } from './condition-field.tsx';
import { listOf } from './members.ts';
import { words } from './words.ts';

interface Row {
  readonly at: number;
  readonly written: JsonObject;
}

interface Props {
  readonly mapping: JsonObject;
  readonly onChange: (mapping: JsonObject) => void;
}

/** Which property of the target gets what, in the order in which it is done. */
export function Properties({ mapping, onChange }: Props) {
  const t = useWords(words);
  const [open, setOpen] = useState<Row>();
  const all = listOf(mapping['properties']);
  const rows = all.flatMap((written, at): Row[] => (isMembers(written) ? [{ at, written }] : []));
  const columns: readonly Column<Row>[] = [
    {
      id: 'target',
      title: t.to,
      cell: ({ written }) => String(written['target'] ?? ''),
      width: 'minmax(10rem, 1fr)',
    },
    {
      id: 'source',
      title: t.from,
      cell: ({ written: { source } }) =>
        typeof source === 'string' && source !== '' ? <code>{source}</code> : t.whole,
      width: 'minmax(10rem, 1fr)',
    },
    {
      id: 'transform',
      title: t.transform,
      cell: ({ written }) => <ScriptText of={written['transform']} />,
      width: 'minmax(12rem, 2fr)',
    },
    {
      id: 'default',
      title: t.default,
      cell: ({ written: { default: otherwise } }) =>
        otherwise === undefined ? '' : <code>{JSON.stringify(otherwise)}</code>,
      width: '9rem',
    },
    {
      id: 'condition',
      title: t.condition,
      cell: ({ written }) => <ScriptText of={written['condition']} />,
      width: 'minmax(10rem, 1fr)',
    },
  ];
  const put = (properties: readonly JsonObject[string][]) => {
    setOpen(undefined);
    onChange({ ...mapping, properties: [...properties] });
  };
  const add = () => setOpen({ at: all.length, written: { target: '', source: '' } });
  useKeys({ n: add });
  return (
    <div className="stack">
      {rows.length === 0 ? (
        <Empty icon="mappings" title={t.noProperties} />
      ) : (
        <Table
          label={t.properties}
          columns={columns}
          rows={rows}
          idOf={({ at }) => String(at)}
          onOpen={setOpen}
          maxHeight="none"
        />
      )}
      <div>
        <Button icon="plus" onPress={add}>
          {t.addProperty}
        </Button>
      </div>
      {open === undefined ? null : (
        <PropertyDialog
          row={open}
          isNew={open.at === all.length}
          last={all.length - 1}
          onClose={() => setOpen(undefined)}
          onTake={(written) => put(all.toSpliced(open.at, 1, written))}
          onRemove={() => put(all.toSpliced(open.at, 1))}
          onMove={(step) => put(all.toSpliced(open.at, 1).toSpliced(open.at + step, 0, open.written))}
        />
      )}
    </div>
  );
}

function PropertyDialog({
  row: { at, written },
  isNew,
  last,
  onClose,
  onTake,
  onRemove,
  onMove,
}: {
  readonly row: Row;
  readonly isNew: boolean;
  readonly last: number;
  readonly onClose: () => void;
  readonly onTake: (written: JsonObject) => void;
  readonly onRemove: () => void;
  readonly onMove: (step: 1 | -1) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [draft, setDraft] = useState<JsonObject>(written);
  const [text, setText] = useState(
    written['default'] === undefined ? '' : JSON.stringify(written['default']),
  );
  const otherwise = parse(text);
  const set = (name: string, value: JsonObject[string]) =>
    setDraft(({ [name]: _, ...others }) => (value === undefined ? others : { ...others, [name]: value }));
  const target = String(draft['target'] ?? '');
  const source = String(draft['source'] ?? '');
  const isGood = target.trim() !== '' && (text === '' || otherwise !== undefined);
  const take = () => {
    if (!isGood) return;
    const { default: _, ...others } = draft;
    onTake(text === '' || otherwise === undefined ? others : { ...others, default: otherwise.value });
  };
  return (
    <Dialog
      title={isNew ? t.addProperty : `${t.property} ${String(written['target'])}`}
      isWide
      onClose={onClose}
    >
      <div className="halves">
        <TextField
          label={t.to}
          value={target}
          onChange={(value) => set('target', value)}
          hint={t.toHint}
          isRequired
          autoFocus
          autoComplete="off"
        />
        <TextField
          label={t.from}
          value={source}
          onChange={(value) => set('source', value)}
          hint={t.fromHint}
          autoComplete="off"
        />
        <TextField
          label={t.default}
          value={text}
          onChange={setText}
          hint={t.defaultHint}
          problem={text === '' || otherwise !== undefined ? undefined : t.badDefault}
          autoComplete="off"
        />
        <ConditionField
          label={t.condition}
          value={draft['condition']}
          onChange={(value) => set('condition', value)}
        />
      </div>
      <ScriptField
        label={t.transform}
        value={draft['transform']}
        onChange={(value) => set('transform', value)}
      />
      <DialogFoot>
        {isNew ? null : (
          <>
            <Button look="danger" onPress={onRemove}>
              {t.remove}
            </Button>
            <Button isDisabled={at === 0} onPress={() => onMove(-1)}>
              {t.up}
            </Button>
            <Button isDisabled={at === last} onPress={() => onMove(1)}>
              {t.down}
            </Button>
          </>
        )}
        <span className="grow" />
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isGood} onPress={take}>
          {t.take}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function parse(text: string): { readonly value: JsonObject[string] } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
