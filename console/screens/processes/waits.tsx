import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import type { Why } from '../../parts/chain.tsx';
import { Ago } from '../../parts/time.tsx';
import { WhyDialog } from '../../parts/why-dialog.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { useRetry } from './letters.tsx';
import { addressOf } from './process.tsx';
import { words } from './words.ts';

/** What keeps an instance where it is, as `waitsFor` tells it. */
export interface Wait {
  readonly type: string;
  readonly element?: string;
  readonly name?: string | null;
  readonly executionId?: string | null;
  readonly taskId?: string;
  readonly assignee?: string | null;
  readonly candidateUsers?: readonly string[];
  readonly candidateGroups?: readonly string[];
  readonly dueAt?: string;
  readonly jobId?: string;
  readonly isDeadLetter?: boolean;
  readonly exceptionMessage?: string | null;
  readonly messageName?: string;
  readonly signalName?: string;
  readonly processInstanceId?: string;
  readonly by?: string | null;
}

/** In plain words what it waits for, and beside it what ends the wait. */
export function Waits({ instance, waits }: { readonly instance: string; readonly waits: readonly Wait[] }) {
  const t = useWords(words);
  if (waits.length === 0) return <p className="soft">{t.noWaits}</p>;
  return (
    <ul className="lines">
      {waits.map((wait) => (
        <li key={`${wait.type} ${wait.element ?? ''} ${wait.executionId ?? ''} ${wait.jobId ?? ''}`}>
          <OneWait instance={instance} wait={wait} />
        </li>
      ))}
    </ul>
  );
}

function OneWait({ instance, wait }: { readonly instance: string; readonly wait: Wait }) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const retry = useRetry();
  const [isAsked, setAsked] = useState(false);
  const { type, taskId, jobId, isDeadLetter, dueAt, processInstanceId } = wait;
  const name = wait.name ?? wait.element ?? '';
  const people = [wait.assignee, ...(wait.candidateUsers ?? []), ...(wait.candidateGroups ?? [])].filter(
    (each) => each !== null && each !== undefined,
  );
  const execute = () =>
    void review({
      title: t.executeTitle(name),
      done: t.executeDone(name),
      call: {
        method: 'POST',
        path: ['workflow', 'job', jobId ?? ''],
        parameters: { _action: 'execute', wait: '5s' },
      },
      touches: ['instance', 'task', 'deadletter'],
    });
  const event = wait.messageName ?? wait.signalName;
  const send = (to: string) =>
    void review({
      title: t.sendTitle(to),
      done: t.sendDone(to),
      call: {
        method: 'POST',
        path: ['workflow', type],
        parameters: { _action: 'send' },
        body: { name: to, ...(type === 'message' ? { processInstanceId: instance } : {}) },
      },
      touches: ['instance', 'task', 'deadletter'],
    });
  const titles: Readonly<Record<string, unknown>> = t;
  return (
    <>
      <strong>{String(titles[`wait_${type}`] ?? type)}</strong>
      <span>{name}</span>
      <span className="soft grow">
        {people.length === 0 ? null : `${t.forWhom} ${people.join(', ')} `}
        {type === 'timer' ? <Ago at={dueAt} /> : null}
        {event}
        {wait.exceptionMessage}
        {type === 'suspended' ? wait.by : null}
      </span>
      {taskId === undefined ? null : (
        <>
          <Link to={`/me/task/${encodeURIComponent(taskId)}`}>{t.open}</Link>
          <Button onPress={() => setAsked(true)}>{c.why}</Button>
        </>
      )}
      {jobId === undefined ? null : isDeadLetter === true ? (
        <Button onPress={() => void retry(jobId)}>{t.retry}</Button>
      ) : (
        <Button onPress={execute}>{t.execute}</Button>
      )}
      {event === undefined ? null : <Button onPress={() => send(event)}>{t.send}</Button>}
      {processInstanceId === undefined ? null : (
        <Link to={addressOf('instance', processInstanceId)}>{t.open}</Link>
      )}
      {!isAsked || taskId === undefined ? null : (
        <WhyDialog
          title={t.why(name)}
          queryKey={['task', 'why', taskId]}
          ask={() => client.resource('workflow/taskinstance').action<Why>('why', { id: taskId })}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
