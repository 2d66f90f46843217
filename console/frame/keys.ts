import { useEffect, useRef } from 'react';

const SEQUENCE_MS = 1_200;

/**
 * Keys of a page: a letter, or two with a blank between. They act outside of fields only, and never with Ctrl, so nothing that
 * somebody types is taken for one; `mod+k` is Ctrl or ⌘ with a letter, and acts everywhere.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const isMod = event.ctrlKey || event.metaKey;
      const one = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (!isMod && isTyping(event.target)) return;
      const two = performance.now() - firstAt < SEQUENCE_MS ? `${first} ${one}` : '';
      const act = latest.current[two] ?? latest.current[one];
      first = one;
      firstAt = performance.now();
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [role=dialog], [role=menu]') !== null
  );
}
