import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { JsonObject } from '#client/index.ts';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Card, Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Moment } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { timingOf } from './declaration.ts';
import styles from './schedules.module.css';
import { words } from './words.ts';

const DATES = 10;
const SETTLED_MS = 300;

type Change = (member: string, value: unknown) => void;

/** When a schedule fires, in words and in dates while it is being written. */
export function When({
  declared,
  onChange,
  beginning,
}: {
  readonly declared: JsonObject;
  readonly onChange: Change;
  readonly beginning: ReactNode;
}) {
  const t = useWords(words);
  const isCron = declared['type'] !== 'simple';
  const text = (member: string, label: string, hint: string) => (
    <TextField
      label={label}
      value={String(declared[member] ?? '')}
      onChange={(value) => onChange(member, value === '' ? null : value)}
      hint={hint}
      autoComplete="off"
    />
  );
  const number = (member: string, label: string, hint: string) => (
    <TextField
      label={label}
      value={String(declared[member] ?? '')}
      onChange={(value) => onChange(member, value === '' ? undefined : numberOr(value))}
      hint={hint}
      autoComplete="off"
    />
  );
  return (
    <div className="halves">
      <Card title={t.when}>
        <div className="stack">
          {beginning}
          <Select
            label={t.kind}
            value={isCron ? 'cron' : 'simple'}
            choices={[
              { id: 'cron', title: t.cron },
              { id: 'simple', title: t.simple },
            ]}
            onChange={(kind) => onChange('type', kind)}
          />
          {isCron ? text('schedule', t.expression, t.expressionHint) : null}
          <Zone value={String(declared['timeZone'] ?? '')} onChange={(zone) => onChange('timeZone', zone)} />
          {text('startTime', t.startTime, t.timeHint)}
          {isCron ? (
            text('endTime', t.endTime, t.timeHint)
          ) : (
            <>
              {number('repeatInterval', t.interval, t.intervalHint)}
              {number('repeatCount', t.repeats, t.repeatsHint)}
            </>
          )}
        </div>
      </Card>
      <Preview timing={timingOf(declared)} />
    </div>
  );
}

/** What is no number is sent as it is: the server says what it has against it. */
function numberOr(text: string): number | string {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function Zone({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (zone: string | null) => void;
}) {
  const t = useWords(words);
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t.zone}</label>
      <input
        id={id}
        className="input"
        list={`${id}-zones`}
        value={value}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      />
      <datalist id={`${id}-zones`}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}

interface Previewed {
  readonly words: string;
  readonly timeZone: string;
  readonly dates: readonly { readonly date: string; readonly localTime: string; readonly note?: string }[];
  readonly dst: readonly unknown[];
  readonly leftOut: readonly unknown[];
}

function Preview({ timing }: { readonly timing: JsonObject }) {
  const t = useWords(words);
  const preview = useQuery({
    queryKey: ['schedule', 'preview', timing],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      signal.throwIfAborted();
      return client.send<Previewed>({
        method: 'POST',
        path: ['scheduler', 'job'],
        parameters: { _action: 'nextRunDates' },
        body: { ...timing, count: DATES },
        signal,
      });
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  // What was right before is not what is written now.
  const of = preview.error === null ? preview : { ...preview, data: undefined };
  return (
    <Card title={t.planned}>
      <Loaded of={of}>
        {({ words: said, timeZone, dates, dst, leftOut }) => (
          <div className="stack">
            <p>
              <strong>{said}</strong> <span className="soft">{timeZone}</span>
            </p>
            {dates.length === 0 ? <p className="soft">{t.noDates}</p> : null}
            <ol className={styles['dates']}>
              {dates.map(({ date, localTime, note }) => (
                <li key={date}>
                  <span className="mono">{localTime.replace('T', ' ')}</span>
                  <span className="soft">
                    {t.here} <Moment at={date} />
                  </span>
                  {note === undefined ? null : <span className="hint">{note}</span>}
                </li>
              ))}
            </ol>
            {[...dst, ...leftOut].map((each) => (
              <p key={textOf(each)} className="note warn">
                <Icon name="warn" />
                <span className="note-body">{textOf(each)}</span>
              </p>
            ))}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function textOf(note: unknown): string {
  if (typeof note === 'string') return note;
  if (typeof note === 'object' && note !== null && 'note' in note) return String(note.note);
  return JSON.stringify(note);
}
