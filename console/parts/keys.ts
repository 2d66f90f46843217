import { useEffect, useRef } from 'react';

const SEQUENCE_MS = 1_200;

/**
 * Keys of a page: a letter, or two with a blank between. They act outside of fields only, and never with Ctrl, so nothing that
 * somebody types is taken for one; `mod+k` is Ctrl or ⌘ with a letter, and acts in fields as well. While a dialog is open only
 * its own keys act.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>, isOfDialog = false): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    const press = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey;
      // Buttons take Ctrl Enter for Enter, and editors for a new line: what it does on this page comes before that.
      const isInTime = isMod === (event.eventPhase === Event.CAPTURING_PHASE);
      if (!isInTime || event.defaultPrevented || event.altKey) return;
      if (isDialogOpen() !== isOfDialog) return;
      const one = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (!isMod && isTyping(event.target)) return;
      const two = event.timeStamp - firstAt < SEQUENCE_MS ? `${first} ${one}` : '';
      const act = latest.current[two] ?? latest.current[one];
      first = one;
      firstAt = event.timeStamp;
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    addEventListener('keydown', press, true);
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press, true);
      removeEventListener('keydown', press);
    };
  }, [isOfDialog]);
}

function isDialogOpen(): boolean {
  return document.querySelector('[role=dialog]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [role=menu]') !== null;
}
