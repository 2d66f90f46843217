import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { DryRun, JsonObject } from '#client/index.ts';
import { parsedMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Card, Loading } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { shown } from '../../write/write.ts';
import styles from './model.module.css';
import { modelWords } from './model-words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

/** As the action `rehearse` of deployments answers. */
interface Walk {
  readonly status: 'ended' | 'waits' | 'failed' | 'endless';
  readonly failure?: { readonly element?: string; readonly message: string; readonly at?: string };
  readonly activities?: readonly { readonly element: string; readonly name: string | null }[];
  readonly waitsFor?: readonly {
    readonly type: string;
    readonly element: string;
    readonly name: string | null;
  }[];
  readonly processVariables?: JsonObject;
}

/** Walks through the file as it is now, with what somebody makes up; nothing of it is kept. */
export function ModelRehearsal({
  name,
  xml,
  processKey,
  onWay,
}: {
  readonly name: string;
  readonly xml: string;
  readonly processKey: string;
  /** By which elements it has gone. */
  readonly onWay: (elements: readonly string[]) => void;
}) {
  const t = useWords(modelWords);
  const [variables, setVariables] = useState('{}');
  const [answers, setAnswers] = useState('{}');
  const given = { variables: parsedMembers(variables), answers: parsedMembers(answers) };
  const walk = useMutation({
    mutationFn: async () => {
      const { result } = await client.send<DryRun<Walk>>({
        method: 'POST',
        path: ['workflow', 'deployment'],
        parameters: { _action: 'rehearse', _dryRun: 'true' },
        body: { name, content: xml, key: processKey, ...given },
      });
      onWay((result.activities ?? []).map(({ element }) => element));
      return result;
    },
  });
  const isReady = given.variables !== undefined && given.answers !== undefined;
  const answer = (element: string) =>
    setAnswers(JSON.stringify({ ...given.answers, [element]: given.answers?.[element] ?? {} }, null, 2));
  return (
    <div className="stack">
      <Json label={t.variables} text={variables} onChange={setVariables} />
      <Json label={t.answers} hint={t.answersHint} text={answers} onChange={setAnswers} />
      <div>
        <Button
          look="primary"
          icon="play"
          isDisabled={!isReady}
          isPending={walk.isPending}
          onPress={() => walk.mutate()}
        >
          {t.rehearse}
        </Button>
      </div>
      {walk.error === null ? null : <ErrorNote error={walk.error} />}
      {walk.data === undefined ? null : <Way of={walk.data} onAnswer={answer} />}
    </div>
  );
}

function Way({ of: walk, onAnswer }: { readonly of: Walk; readonly onAnswer: (element: string) => void }) {
  const t = useWords(modelWords);
  const { status, failure, activities = [], waitsFor = [], processVariables = {} } = walk;
  return (
    <Card title={t.way}>
      <div className="stack">
        <p role="status">
          <strong>{t[status]}</strong> {t.keptNothing}
        </p>
        {failure === undefined ? null : (
          <p className="problem">
            {failure.at ?? failure.element} {failure.message}
          </p>
        )}
        <ol className="lines" aria-label={t.way}>
          {activities.map(({ element, name }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an element can be come by several times
            <li key={at}>
              {name ?? element} <code className="soft">{element}</code>
            </li>
          ))}
        </ol>
        {waitsFor.length === 0 ? null : (
          <ul className="lines" aria-label={t.waitsAt}>
            {waitsFor.map(({ element, name, type }) => (
              <li key={`${type} ${element}`}>
                {t.waitsAt} {name ?? element} <code className="soft">{element}</code>{' '}
                <Button aria-label={`${t.answer}: ${name ?? element}`} onPress={() => onAnswer(element)}>
                  {t.answer}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <h3>{t.after}</h3>
        <ul className="lines" aria-label={t.after}>
          {Object.entries(processVariables).map(([name, value]) => (
            <li key={name}>
              <code>{name}</code> {shown(value)}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

function Json({
  label,
  hint,
  text,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const t = useWords(modelWords);
  return (
    <div className="field">
      <span className="label">{label}</span>
      <div className={styles['editor']}>
        <Suspense fallback={<Loading />}>
          <Code label={label} language="json" value={text} onChange={onChange} />
        </Suspense>
      </div>
      {hint === undefined ? null : <span className="hint">{hint}</span>}
      {parsedMembers(text) === undefined ? <span className="problem">{t.notJson}</span> : null}
    </div>
  );
}
