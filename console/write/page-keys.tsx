import { useState } from 'react';
import { type Call, filter, type Page } from '#client/index.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { useKeys } from '../parts/keys.ts';
import { client } from '../session/client.ts';
import { useGrants } from '../session/grants.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { words } from './page-keys-words.ts';
import { useReview } from './review.tsx';
import { words as writeWords } from './words.ts';

const UNDO = { method: 'action', path: 'audit/activity', action: 'revert' } as const;

/**
 * Keys for what a page is about: `.` opens what can be done with it, `u` takes its last change back, `w` tells why it is as it
 * is, `y` gives the request that reads it.
 */
export function PageKeys({
  path,
  touches,
  onWhy,
}: {
  readonly path: readonly string[];
  readonly touches: readonly string[];
  readonly onWhy: () => void;
}) {
  const t = useWords(words);
  const w = useWords(writeWords);
  const c = useWords(common);
  const review = useReview();
  const mayUndo = useGrants([UNDO]).may(UNDO);
  const [isCopied, setCopied] = useState(false);
  const [said, setSaid] = useState<{ readonly error?: unknown }>();
  const name = path.join('/');
  const undo = async () => {
    try {
      const last = await lastChange(name);
      if (last === undefined) return setSaid({});
      await review({
        title: w.undoTitle(name),
        done: w.undone,
        call: {
          method: 'POST',
          path: ['audit', 'activity', last],
          parameters: { _action: 'revert' },
          body: {},
        },
        touches: ['audit', ...touches],
      });
    } catch (error) {
      setSaid({ error });
    }
    return undefined;
  };
  useKeys({
    '.': openActions,
    w: onWhy,
    y: () => setCopied(true),
    ...(mayUndo ? { u: () => void undo() } : {}),
  });
  const call: Call = { method: 'GET', path };
  return (
    <>
      {isCopied ? <CopyDialog call={call} onClose={() => setCopied(false)} /> : null}
      {said === undefined ? null : (
        <Dialog title={w.undoTitle(name)} onClose={() => setSaid(undefined)}>
          {said.error === undefined ? <p>{t.nothingToUndo}</p> : <ErrorNote error={said.error} />}
          <DialogFoot>
            <Button onPress={() => setSaid(undefined)}>{c.close}</Button>
          </DialogFoot>
        </Dialog>
      )}
    </>
  );
}

/** The menu at the head of the page, if it has one; the last of several is that of the actions. */
function openActions(): void {
  const menu = [...document.querySelectorAll<HTMLElement>('.page-head [aria-haspopup]')].at(-1);
  menu?.focus();
  // As by the key that opens a menu, so that its first choice has the focus.
  menu?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
}

async function lastChange(name: string): Promise<string | undefined> {
  const { result } = await client.send<Page<{ readonly _id: string }>>({
    method: 'GET',
    path: ['audit', 'activity'],
    parameters: {
      _queryFilter: filter`objectId eq ${name}`.text,
      _sortKeys: '-timestamp',
      _pageSize: '1',
      _fields: '_id',
    },
  });
  return result[0]?._id;
}
