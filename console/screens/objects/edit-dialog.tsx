import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Control } from '../../form/control.tsx';
import { patchOf } from '../../form/dirty.ts';
import { isComputed, kindOf, nameOf, titleOf } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

/** One property of an object, written from its list. */
export function EditDialog({
  managed: { type, order, properties },
  row,
  first,
  onClose,
}: {
  readonly managed: ManagedType;
  readonly row: JsonObject & { readonly _id: string };
  /** The properties that the list has read; the first of them is asked for. */
  readonly first: readonly string[];
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const names = order.filter((name) => {
    const property = properties[name] ?? {};
    return first.includes(name) && !isComputed(name, property) && property.relationship === undefined;
  });
  const [name, setName] = useState(names[0] ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, unknown>>>({});
  const property = properties[name] ?? {};
  const operations = patchOf(row, typed);
  const save = () => {
    onClose();
    void review({
      title: t.changed(nameOf(row)),
      done: t.changedDone(nameOf(row)),
      call: {
        method: 'PATCH',
        path: ['managed', type, row._id],
        headers: { 'If-Match': `"${String(row['_rev'])}"` },
        body: operations,
      },
      base: row,
      touches: [`object:${type}`, 'audit'],
    });
  };
  return (
    <Dialog title={t.changed(nameOf(row))} onClose={onClose}>
      <Select
        label={t.bulkProperty}
        value={name}
        choices={names.map((each) => ({ id: each, title: titleOf(each, properties[each] ?? {}) }))}
        onChange={setName}
      />
      <Control
        key={name}
        name={name}
        label={t.bulkValue}
        kind={kindOf(property)}
        property={property}
        value={name in typed ? typed[name] : row[name]}
        onChange={(value) => setTyped({ ...typed, [name]: value })}
        isReadOnly={false}
        hint={undefined}
        problem={undefined}
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={operations.length === 0} onPress={save}>
          {t.bulkReview}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
