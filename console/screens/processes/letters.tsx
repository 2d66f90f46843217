import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../live/pages.ts';
import { OperationNote } from '../../operation/operation-note.tsx';
import { MANY, useOperation } from '../../operation/use-operation.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Empty, Loaded } from '../../parts/page.tsx';
import { PageList } from '../../parts/page-list.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useGrants } from '../../session/grants.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { shown } from '../../write/write.ts';
import { addressOf } from './process.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '50';
const WAIT = '5s';
/** Topics of what an attempt changes. */
const TOUCHED = ['deadletter', 'instance'];

/** A job that is out of attempts. */
interface Letter {
  readonly _id: string;
  readonly createTime: string;
  readonly elementId: string | null;
  readonly exceptionMessage: string | null;
  readonly jobType: string;
  readonly processDefinitionId: string | null;
  readonly processInstanceId: string | null;
}

interface Failed extends Letter {
  readonly failure?: {
    readonly attempts?: number;
    readonly message?: string;
    readonly at?: string;
    readonly script?: string;
    readonly line?: number;
    readonly column?: number;
    readonly stack?: string;
  };
}

/** What has failed for good, and one more attempt. */
export function Letters({
  instance,
  definition,
}: {
  readonly instance?: string;
  readonly definition?: string;
}) {
  const t = useWords(words);
  const operation = useOperation();
  const mayMany = useGrants([MANY]).may(MANY);
  const [open, setOpen] = useState<string>();
  const parameters = { processInstanceId: instance, processDefinitionId: definition };
  const list = usePages<Letter>({
    key: ['deadletter', 'list'],
    path: 'workflow/job/deadletter',
    parameters: { _queryId: 'filtered-query', ...parameters, _sortKeys: '-createTime', _pageSize: PAGE_SIZE },
  });
  const columns: readonly Column<Letter>[] = [
    {
      id: 'element',
      title: t.element,
      cell: ({ elementId }) => elementId ?? '–',
      width: 'minmax(9rem, 1fr)',
    },
    {
      id: 'message',
      title: t.message,
      cell: ({ exceptionMessage }) => exceptionMessage,
      width: '32rem',
    },
    {
      id: 'process',
      title: t.process,
      cell: ({ processDefinitionId }) => processDefinitionId ?? '–',
      width: 'minmax(10rem, 1fr)',
    },
    { id: 'since', title: t.since, cell: ({ createTime }) => <Ago at={createTime} />, width: '9rem' },
  ];
  const retryAll = () =>
    void operation.begin(t.retryAllTitle, {
      act: 'action',
      action: 'retry',
      resource: 'workflow/job/deadletter',
      queryId: 'filtered-query',
      parameters: Object.fromEntries(
        Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    });
  return (
    <div className="stack">
      {operation.id === undefined ? null : (
        <OperationNote id={operation.id} name="deadletter" touches={TOUCHED} />
      )}
      <PageList
        of={list}
        empty={<Empty icon="check" title={t.noLetters} />}
        label={t.letters}
        columns={columns}
        onOpen={({ _id }) => setOpen(_id)}
      />
      {mayMany && (list.rows?.length ?? 0) > 1 ? (
        <div>
          <Button onPress={retryAll}>{t.retryAll}</Button>
        </div>
      ) : null}
      {open === undefined ? null : <LetterDialog id={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

/** What went wrong, where, and with which attempt; it can be tried once more. */
function LetterDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useWords(words);
  const c = useWords(common);
  const retry = useRetry();
  const letter = useQuery({
    queryKey: ['deadletter', 'one', id],
    queryFn: () =>
      client.send<Failed>({
        method: 'GET',
        path: ['workflow', 'job', 'deadletter', id],
        parameters: { _fields: '*,failure' },
      }),
    retry: false,
  });
  return (
    <Dialog title={t.letter} isWide onClose={onClose}>
      <Loaded of={letter}>
        {({ exceptionMessage, elementId, processInstanceId, failure = {} }) => (
          <div className="stack">
            <p>
              <strong>{failure.message ?? exceptionMessage}</strong>
            </p>
            <Facts
              of={[
                { title: t.element, value: elementId },
                { title: t.place, value: placeOf(failure) },
                { title: t.attempts, value: shown(failure.attempts) },
                {
                  title: t.instance,
                  value:
                    processInstanceId === null ? null : (
                      <Link to={addressOf('instance', processInstanceId)}>{processInstanceId}</Link>
                    ),
                },
              ]}
            />
            {failure.stack === undefined ? null : <pre className="code">{failure.stack}</pre>}
          </div>
        )}
      </Loaded>
      <DialogFoot>
        <Button onPress={onClose}>{c.close}</Button>
        <Button
          look="primary"
          onPress={() => {
            onClose();
            void retry(id);
          }}
        >
          {t.retry}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function placeOf({ at, script, line, column }: NonNullable<Failed['failure']>): string | undefined {
  return script === undefined ? at : [script, line, column].filter((part) => part !== undefined).join(':');
}

/** Gives a dead letter one more attempt, and waits for what comes of it. */
export function useRetry(): (id: string) => Promise<unknown> {
  const t = useWords(words);
  const review = useReview();
  return (id) =>
    review({
      title: t.retryTitle,
      done: t.retryDone,
      call: {
        method: 'POST',
        path: ['workflow', 'job', 'deadletter', id],
        parameters: { _action: 'retry', wait: WAIT },
      },
      touches: ['deadletter', 'instance'],
    });
}
