import { useState } from 'react';
import { Control } from '../../form/control.tsx';
import { kindOf, titleOf } from '../../form/schema.ts';
import type { useOperation } from '../../operation/use-operation.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

type Begin = ReturnType<typeof useOperation>['begin'];

/** Many at once are given the same value; the server freezes which ones when it begins. */
export function BulkDialog({
  managed,
  filter,
  onClose,
  onBegin,
}: {
  readonly managed: ManagedType;
  readonly filter: string;
  readonly onClose: () => void;
  readonly onBegin: Begin;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const { type, order, properties } = managed;
  const settable = order.filter((each) => {
    const { isVirtual, private: isPrivate, stored, relationship } = properties[each] ?? {};
    const isPlain = isVirtual !== true && isPrivate !== true && stored === undefined;
    return isPlain && relationship === undefined && !each.startsWith('_');
  });
  const [name, setName] = useState(settable[0] ?? '');
  const [value, setValue] = useState<unknown>(null);
  const property = properties[name] ?? {};
  const label = titleOf(name, property);
  const change = () => {
    onClose();
    const field = `/${name}`;
    const operation =
      value === null ? { operation: 'remove', field } : { operation: 'replace', field, value };
    void onBegin(t.bulkTitle(label, managed.title), {
      act: 'patch',
      resource: `managed/${type}`,
      queryFilter: filter,
      content: [operation],
    });
  };
  return (
    <Dialog title={t.bulkChange} onClose={onClose}>
      <p className="soft">
        {t.bulkWhich} <code>{filter}</code>
      </p>
      <Select
        label={t.bulkProperty}
        value={name}
        choices={settable.map((each) => ({ id: each, title: titleOf(each, properties[each] ?? {}) }))}
        onChange={(next) => {
          setName(next);
          setValue(null);
        }}
      />
      <Control
        key={name}
        name={name}
        label={t.bulkValue}
        kind={kindOf(property)}
        property={{ ...property, required: false }}
        value={value}
        onChange={setValue}
        isReadOnly={false}
        hint={t.bulkEmpty}
        problem={undefined}
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={name === ''} onPress={change}>
          {t.bulkReview}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
