import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { TextField } from '../parts/field.tsx';
import { useKeys } from '../parts/keys.ts';
import { Menu } from '../parts/menu.tsx';
import { Loaded } from '../parts/page.tsx';
import { useGrants } from '../session/grants.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Conflict } from './conflict.tsx';
import { copiesOf } from './copy-as.ts';
import { Report } from './report.tsx';
import { type Toast, Toasts } from './toasts.tsx';
import { Unanswered } from './unanswered.tsx';
import { words } from './words.ts';
import {
  apply,
  canBeUndone,
  type Done,
  isConflict,
  isUnanswered,
  rehearse,
  undoOf,
  type Write,
} from './write.ts';

/** Shows what a change would do, and makes it when that is wanted. @returns what was done; undefined if nothing was */
type Review = (write: Write) => Promise<Done | undefined>;

const ReviewContext = createContext<Review>(() => Promise.reject(new Error('Nothing is reviewed here')));

/** The one way to write. */
export function useReview(): Review {
  return useContext(ReviewContext);
}

interface Open {
  readonly write: Write;
  readonly end: (done: Done | undefined) => void;
}

const UNDO = { method: 'action', path: 'audit', action: 'revert' } as const;

export function Reviews({ children }: { readonly children: ReactNode }) {
  const t = useWords(words);
  const queries = useQueryClient();
  const mayUndo = useGrants([UNDO]).may(UNDO);
  const [open, setOpen] = useState<Open>();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const review: Review = (write) =>
    new Promise((resolve) => {
      setOpen({
        write,
        end: (done) => {
          setOpen(undefined);
          resolve(done);
        },
      });
    });
  const finish = (write: Write, done: Done) => {
    for (const topic of write.touches ?? []) void queries.invalidateQueries({ queryKey: [topic] });
    const { transaction } = done;
    const undo =
      mayUndo && canBeUndone(write.call) && transaction !== undefined
        ? () =>
            void review({
              ...undoOf(t.undoTitle(write.title), t.undone, transaction),
              touches: write.touches ?? [],
            })
        : undefined;
    setToasts((before) => [...before, { id: crypto.randomUUID(), text: write.done, undo }]);
    open?.end(done);
  };
  return (
    <ReviewContext value={review}>
      {children}
      {open === undefined ? null : (
        <ReviewDialog
          key={open.write.title}
          first={open.write}
          onCancel={() => open.end(undefined)}
          onDone={finish}
        />
      )}
      <Toasts
        toasts={toasts}
        onGone={(id) => setToasts((before) => before.filter((toast) => toast.id !== id))}
      />
    </ReviewContext>
  );
}

let reviews = 0;

function ReviewDialog({
  first,
  onCancel,
  onDone,
}: {
  readonly first: Write;
  readonly onCancel: () => void;
  readonly onDone: (write: Write, done: Done) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [write, setWrite] = useState(first);
  const [number, setNumber] = useState(() => ++reviews);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  const rehearsal = useQuery({
    queryKey: ['review', number],
    queryFn: () => rehearse(write),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const isInTheWay = isConflict(rehearsal.error) || isConflict(error);
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onDone(write, await apply(write));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const isTyped = write.typed === undefined || typed === write.typed;
  const isUnseen = write.isSlow === true && rehearsal.isPending;
  const isReady =
    (isUnseen || (rehearsal.data !== undefined && rehearsal.error === null)) &&
    isTyped &&
    !isBusy &&
    !isInTheWay;
  useKeys({ 'mod+enter': () => (isReady ? void run() : undefined) }, true);
  if (isInTheWay && write.base !== undefined) {
    return (
      <Dialog title={t.conflict} isWide onClose={onCancel}>
        <Conflict
          write={write}
          onCancel={onCancel}
          onSame={(theirs) => onDone(write, { answer: theirs, transaction: undefined })}
          onGoOn={(next) => {
            setError(undefined);
            setWrite(next);
            setNumber(++reviews);
          }}
        />
      </Dialog>
    );
  }
  const copies = copiesOf(write.call);
  return (
    <Dialog title={write.title} isWide onClose={isBusy ? undefined : onCancel}>
      <Loaded of={rehearsal}>
        {(report) => (
          <>
            <p className="soft">{t.rehearsed}</p>
            <Report report={report} first={write.shows} />
          </>
        )}
      </Loaded>
      {isUnseen ? <p>{t.unseen}</p> : null}
      {error === undefined ? null : isUnanswered(error) ? (
        <Unanswered call={write.call} error={error} />
      ) : (
        <ErrorNote error={error} />
      )}
      {write.typed === undefined ? null : (
        <TextField label={t.typed(write.typed)} value={typed} onChange={setTyped} autoComplete="off" />
      )}
      <DialogFoot>
        <Menu
          label={t.copyAs}
          icon="copy"
          choices={copies}
          onChoose={(id) => {
            const text = copies.find((copy) => copy.id === id)?.text ?? '';
            void navigator.clipboard.writeText(text);
          }}
        />
        <span className="grow" />
        <Button onPress={onCancel} isDisabled={isBusy}>
          {c.cancel}
        </Button>
        <Button
          look={write.typed === undefined ? 'primary' : 'danger primary'}
          isDisabled={!isReady && !isBusy}
          isPending={isBusy}
          onPress={() => void run()}
        >
          {isUnanswered(error) ? t.applyAgain : isUnseen ? t.applyUnseen : c.apply}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
