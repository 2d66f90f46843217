import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ScriptField } from '../../code/script-field.tsx';
import { fileOf, type Hook, operationsOf, runAsOf, withHook, workbenchOf } from '../../declared/hooks.ts';
import { changeOf, type DeclaredType, type Managed } from '../../declared/managed.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Effects, useEffects } from './effects.tsx';
import { words } from './words.ts';

/** The script of a hook: a file, which the workbench rehearses, or one that stands in the declaration. */
export function HookDialog({
  managed,
  declared,
  hook,
  onClose,
}: {
  readonly managed: Managed;
  readonly declared: DeclaredType;
  readonly hook: Hook;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const [script, setScript] = useState(hook.script);
  const { name, property } = hook;
  const type = declared.name;
  const title = property === undefined ? name : `${name} ${t.ofProperty(property)}`;
  const changed = { ...hook, script };
  const isChanged = JSON.stringify(script) !== JSON.stringify(hook.script);
  const isGood = isChanged && Reflect.get(Object(script), 'file') !== '';
  const plan = useEffects(isGood ? withHook(managed, type, changed) : undefined);
  const file = fileOf(hook);
  const save = () => {
    onClose();
    void review({
      title: t.saveHook(title, type),
      done: t.savedHook(title, type),
      ...changeOf(managed, operationsOf(managed, type, changed)),
      touches: ['config', 'audit'],
    });
  };
  return (
    <Dialog title={t.hookTitle(title)} isWide onClose={onClose}>
      <p className="soft">{t[name]}</p>
      <ScriptField label={t.script} value={script} onChange={setScript} />
      {isGood ? <Effects of={plan} /> : null}
      <DialogFoot>
        {file === undefined ? null : (
          <Link className="button" to={workbenchOf(file)} search={{ use: runAsOf(hook), type }}>
            {t.rehearse}
          </Link>
        )}
        <span className="grow" />
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isGood} onPress={save}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
