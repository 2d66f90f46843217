import { useEffect } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';

export interface Toast {
  readonly id: string;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

const SHOWN_MS = 10_000;

/** What has been done, and for a while the way back. */
export function Toasts({
  toasts,
  onGone,
}: {
  readonly toasts: readonly Toast[];
  readonly onGone: (id: string) => void;
}) {
  return (
    <div className="toasts" role="status">
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} onGone={() => onGone(toast.id)} />
      ))}
    </div>
  );
}

function OneToast({ toast, onGone }: { readonly toast: Toast; readonly onGone: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a toast is shown for its own time, whatever is drawn anew
  useEffect(() => {
    const timer = setTimeout(onGone, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast.id]);
  return (
    <div className="toast">
      <Icon name="check" />
      <span className="grow">{toast.text}</span>
      {toast.undo === undefined ? null : (
        <Button
          icon="undo"
          onPress={() => {
            onGone();
            toast.undo?.();
          }}
        >
          {t.undo}
        </Button>
      )}
      <IconButton icon="close" label={c.close} onPress={onGone} />
    </div>
  );
}
