import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { ScriptField } from '../../code/script-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { usePlan } from '../../write/use-plan.ts';
import { Effects } from './effects.tsx';
import { type Hook, operationsOf, runAsOf, withHook } from './hooks.ts';
import type { DeclaredType, Managed } from './managed.ts';
import { words } from './words.ts';

/** So long somebody has written nothing before the server is asked what it would mean. */
const SETTLED_MS = 300;

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
  const plan = usePlan(
    'managed',
    useDeferredValue(isGood ? withHook(managed, type, changed) : undefined),
    SETTLED_MS,
  );
  const file: unknown = Reflect.get(Object(hook.script), 'file');
  const save = () => {
    onClose();
    void review({
      title: t.saveHook(title, type),
      done: t.savedHook(title, type),
      call: {
        method: 'PATCH',
        path: ['config', 'managed'],
        headers: { 'If-Match': `"${managed.revision}"` },
        body: operationsOf(managed, type, changed),
      },
      base: managed.content,
      touches: ['config', 'audit'],
    });
  };
  return (
    <Dialog title={t.hookTitle(title)} isWide onClose={onClose}>
      <p className="soft">{t[name]}</p>
      <ScriptField label={t.script} value={script} onChange={setScript} />
      {isGood ? <Effects of={plan} /> : null}
      <DialogFoot>
        {typeof file === 'string' ? (
          <Link
            className="button"
            to={`/scripts/file/${file
              .replace(/^script\//, '')
              .split('/')
              .map(encodeURIComponent)
              .join('/')}`}
            search={{ use: runAsOf(hook), type }}
          >
            {t.rehearse}
          </Link>
        ) : null}
        <span className="grow" />
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isGood} onPress={save}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
