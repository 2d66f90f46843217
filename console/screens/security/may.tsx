import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

const METHODS = ['read', 'query', 'create', 'update', 'patch', 'delete', 'action'] as const;

interface Asked {
  readonly as?: string;
  readonly method: string;
  readonly path: string;
  readonly action?: string;
  readonly fields?: readonly string[];
  readonly content?: unknown;
}

interface Answer {
  readonly granted: boolean;
  /** With some content it is, with another it may not be. */
  readonly dependsOnContent?: true;
  readonly id?: string;
  readonly reason?: string;
  readonly field?: string;
  readonly rule?: {
    readonly file: string;
    readonly line?: number;
    readonly pattern: string;
    readonly roles?: readonly string[];
  };
  readonly condition?: { readonly text: string; readonly result: boolean | null };
}

/** What would be written: names of properties, or the JSON that would be sent. */
function writtenIn(text: string): Pick<Asked, 'fields' | 'content'> {
  if (/^\s*[{[]/.test(text)) {
    try {
      return { content: JSON.parse(text) };
    } catch {
      // The server says of such a name that it is none.
    }
  }
  const fields = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  return fields.length === 0 ? {} : { fields };
}

/** Whether somebody may do something, and the rule that says so. Nothing of it is done. */
export function May() {
  const t = useWords(words);
  const [who, setWho] = useState('');
  const [method, setMethod] = useState<string>('read');
  const [path, setPath] = useState('');
  const [what, setWhat] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const answer = useQuery({
    queryKey: ['may', 'explain', asked],
    queryFn: async () => {
      const [first] = await client.resource('access').action<readonly Answer[]>('may', { body: [asked] });
      if (first === undefined) throw new Error('The server has not answered');
      return first;
    },
    enabled: asked !== undefined,
    retry: false,
  });
  const isAction = method === 'action';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked({
      ...(who === '' ? {} : { as: who }),
      method,
      path,
      ...(isAction ? { action: what } : writtenIn(what)),
    });
  };
  return (
    <div className="card card-body stack">
      <form className="stack" onSubmit={submit}>
        <div className="halves">
          <TextField label={t.mayWho} value={who} onChange={setWho} hint={t.mayWhoHint} autoComplete="off" />
          <Select
            label={t.mayMethod}
            value={method}
            choices={METHODS.map((id) => ({ id, title: t[id] }))}
            onChange={setMethod}
          />
          <TextField
            label={t.mayPath}
            value={path}
            onChange={setPath}
            hint={t.mayPathHint}
            autoComplete="off"
          />
          <TextField
            label={isAction ? t.mayAction : t.mayFields}
            value={what}
            onChange={setWhat}
            hint={isAction ? t.mayActionHint : t.mayFieldsHint}
            autoComplete="off"
          />
        </div>
        <div>
          <Button type="submit" look="primary" isDisabled={path === ''}>
            {t.ask}
          </Button>
        </div>
      </form>
      {asked === undefined ? null : (
        <Loaded of={answer}>
          {({ granted, dependsOnContent, reason, id, field, rule, condition }) => (
            <section aria-label={t.answer} className="stack">
              <div>
                {granted && dependsOnContent ? (
                  <Badge tone="warn" mark="?">
                    {t.depends}
                  </Badge>
                ) : (
                  <Badge tone={granted ? 'good' : 'bad'} mark={granted ? '✓' : '✗'}>
                    {granted ? t.granted : t.refused}
                  </Badge>
                )}
              </div>
              {reason === undefined ? null : <p>{reason}</p>}
              <Facts
                of={[
                  ...(rule === undefined
                    ? []
                    : [
                        { title: t.rule, value: <code>{`${rule.file}:${rule.line ?? ''}`}</code> },
                        { title: t.pattern, value: <code>{rule.pattern}</code> },
                        { title: t.roles, value: rule.roles?.join(', ') },
                      ]),
                  ...(condition === undefined
                    ? []
                    : [{ title: t.condition, value: <code>{condition.text}</code> }]),
                  ...(field === undefined ? [] : [{ title: t.field, value: <code>{field}</code> }]),
                  ...(id === undefined ? [] : [{ title: t.errorId, value: <code>{id}</code> }]),
                ]}
              />
            </section>
          )}
        </Loaded>
      )}
    </div>
  );
}
