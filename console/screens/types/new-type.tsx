import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { changeOf, isName, type Managed } from '../../declared/managed.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

/** A type with a name that its objects are found by; what else they have is added on its own page. */
export function NewType({ managed, onClose }: { readonly managed: Managed; readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const { objects } = managed.content;
  const isGood = isName(name) && !objects.some((each) => each.name === name);
  const save = async () => {
    onClose();
    const schema = {
      title: title === '' ? name : title,
      type: 'object',
      order: ['name'],
      required: ['name'],
      properties: {
        name: {
          title: t.nameOfObject,
          type: 'string',
          searchable: true,
          minLength: 1,
          policies: [{ policyId: 'unique' }],
        },
      },
    };
    const done = await review({
      title: t.saveTitle(name),
      done: t.typeDone(name),
      ...changeOf(managed, [{ operation: 'add', field: '/objects/-', value: { name, schema } }]),
      touches: ['config', 'audit', 'schema'],
    });
    if (done !== undefined) void navigate({ to: `/types/${name}` });
  };
  return (
    <Dialog title={t.newType} onClose={onClose}>
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        hint={t.typeHint}
        problem={name === '' || isGood ? undefined : t.badName}
        autoComplete="off"
        autoFocus
      />
      <TextField label={t.shownAs} value={title} onChange={setTitle} autoComplete="off" />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isGood} onPress={() => void save()}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
