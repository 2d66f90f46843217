import { useState } from 'react';
import type { Call } from '#client/index.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { copiesOf } from './copy-as.ts';
import { words } from './page-keys-words.ts';

/** A request for a shell, for the command line of the server, and for a program. */
export function CopyDialog({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const [copied, setCopied] = useState<string>();
  const copy = async (id: string, text: string) => {
    await navigator.clipboard.writeText(text);
    setCopied(id);
  };
  return (
    <Dialog title={t.copyTitle} isWide onClose={onClose}>
      {copiesOf(call).map(({ id, title, text }, at) => (
        <div key={id} className="stack">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
          <pre className="code card-body" tabIndex={0}>
            {text}
          </pre>
          <p className="row">
            <Button icon="copy" autoFocus={at === 0} onPress={() => void copy(id, text)}>
              {t.copy(title)}
            </Button>
            <span role="status">{copied === id ? c.copied : null}</span>
          </p>
        </div>
      ))}
      <DialogFoot>
        <Button onPress={onClose}>{c.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}
