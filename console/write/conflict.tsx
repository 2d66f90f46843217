import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import type { JsonObject, PatchOperation } from '#client/index.ts';
import { Button } from '../parts/button.tsx';
import { DialogFoot } from '../parts/dialog.tsx';
import { Loaded } from '../parts/page.tsx';
import { client } from '../session/client.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Changes } from './changes.tsx';
import { words } from './words.ts';
import { changesBetween, shown, type Write } from './write.ts';

/** What somebody else has made of the object meanwhile, beside what it was and what it was to be. */
export function Conflict({
  write,
  onGoOn,
  onSame,
  onCancel,
}: {
  readonly write: Write;
  readonly onGoOn: (write: Write) => void;
  /** It is as it was to be already, as after an answer that was lost. */
  readonly onSame: (theirs: JsonObject) => void;
  readonly onCancel: () => void;
}) {
  const t = useWords(words);
  const { path } = write.call;
  const theirs = useQuery({
    queryKey: ['conflict', ...path],
    queryFn: () => client.send<JsonObject>({ method: 'GET', path }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Loaded of={theirs}>
      {(now) =>
        isAsWanted(write, now) ? (
          <div className="stack">
            <p>{t.sameText}</p>
            <DialogFoot>
              <Button look="primary" onPress={() => onSame(now)}>
                {t.done}
              </Button>
            </DialogFoot>
          </div>
        ) : Array.isArray(write.call.body) ? (
          <Choices write={write} theirs={now} onGoOn={onGoOn} onCancel={onCancel} />
        ) : (
          <Whole write={write} theirs={now} onGoOn={onGoOn} onCancel={onCancel} />
        )
      }
    </Loaded>
  );
}

interface Both {
  readonly write: Write;
  readonly theirs: JsonObject;
  readonly onGoOn: (write: Write) => void;
  readonly onCancel: () => void;
}

/** What is written as a whole: as it is now, beside what it was to be, which takes its place only when somebody says so. */
function Whole({ write, theirs, onGoOn, onCancel }: Both) {
  const t = useWords(words);
  const c = useWords(common);
  const { mine, now } = bothOf(write, theirs);
  return (
    <div className="stack">
      <p>{t.wholeText}</p>
      <Changes before={now} after={mine} />
      <DialogFoot>
        <Button onPress={onCancel}>{c.cancel}</Button>
        <Button
          look="primary"
          onPress={() =>
            onGoOn({ ...write, base: theirs, call: { ...write.call, headers: matching(write, theirs) } })
          }
        >
          {t.goOnMine}
        </Button>
      </DialogFoot>
    </div>
  );
}

/** What is written as a whole, and of what there is now only what that is about. */
function bothOf({ call, base }: Write, theirs: JsonObject) {
  const mine: Readonly<Record<string, unknown>> = { ...Object(call.body) };
  const names = new Set([...Object.keys(mine), ...Object.keys(base ?? {})]);
  return { mine, now: Object.fromEntries(Object.entries(theirs).filter(([name]) => names.has(name))) };
}

function isAsWanted(write: Write, theirs: JsonObject): boolean {
  if (write.call.method === 'DELETE') return false;
  if (!Array.isArray(write.call.body)) {
    const { mine, now } = bothOf(write, theirs);
    return changesBetween(now, mine).length === 0;
  }
  return operationsOf(write).every(
    ({ operation, field, value }) =>
      changesBetween(valueAt(theirs, field) ?? null, operation === 'remove' ? null : (value ?? null))
        .length === 0,
  );
}

function matching({ call }: Write, theirs: JsonObject): Readonly<Record<string, string>> {
  return { ...call.headers, 'If-Match': `"${String(theirs['_rev'])}"` };
}

function Choices({ write, theirs, onGoOn, onCancel }: Both) {
  const t = useWords(words);
  const c = useWords(common);
  const operations = operationsOf(write);
  const base = write.base ?? {};
  const changed = new Set(changesBetween(base, theirs).map(({ field }) => field));
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const goOn = () => {
    const kept = operations.filter(({ field }) => !refused.has(field));
    onGoOn({
      ...write,
      base: theirs,
      call: {
        ...write.call,
        headers: matching(write, theirs),
        body: kept,
      },
    });
  };
  return (
    <div className="stack">
      <p>{t.conflictText}</p>
      {operations.map(({ field, value }) => (
        <RadioGroup
          key={field}
          aria-label={field}
          className="card card-body stack"
          value={refused.has(field) ? 'theirs' : 'mine'}
          onChange={(choice) => {
            const next = new Set(refused);
            if (choice === 'theirs') next.add(field);
            else next.delete(field);
            setRefused(next);
          }}
        >
          <p>
            <code>{field}</code>{' '}
            <span className="soft">
              {t.base}: {shown(valueAt(base, field))}
            </span>
          </p>
          <Radio value="mine" className="menu-item choice">
            {t.mine}: {shown(value)}
          </Radio>
          <Radio value="theirs" className="menu-item choice">
            {t.theirs}: {shown(valueAt(theirs, field))} {changed.has(field) ? '●' : ''}
          </Radio>
        </RadioGroup>
      ))}
      <DialogFoot>
        <Button onPress={onCancel}>{c.cancel}</Button>
        <Button look="primary" onPress={goOn}>
          {t.goOn}
        </Button>
      </DialogFoot>
    </div>
  );
}

function operationsOf({ call }: Write): readonly PatchOperation[] {
  return Array.isArray(call.body) ? call.body : [];
}

function valueAt(object: unknown, pointer: string): unknown {
  let value = object;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
