import { useState } from 'react';
import type { JsonObject } from '#client/index.ts';
import { ScriptField } from '../../code/script-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { ConditionField, ScriptText } from './condition-field.tsx';
import styles from './mappings.module.css';
import { ACTIONS, type Policy, policiesOf, SITUATIONS, withPolicy } from './situations.ts';
import { words } from './words.ts';

interface Props {
  readonly mapping: JsonObject;
  readonly onChange: (mapping: JsonObject) => void;
  /** How many pairs the last reconciliation has found in which situation. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What is done in which situation: the first policy whose condition holds says it, else the situation does. */
export function Matrix({ mapping, onChange, counts }: Props) {
  const t = useWords(words);
  const [open, setOpen] = useState<{ readonly situation: string; readonly policy: Policy }>();
  return (
    <section className={`table-frame ${styles['frame']}`} aria-label={t.situations}>
      <table className={styles['matrix']}>
        <thead>
          <tr>
            <th scope="col">{t.situation}</th>
            <th scope="col">{t.found}</th>
            <th scope="col">{t.action}</th>
            <th scope="col">{t.condition}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(SITUATIONS).map(([situation, otherwise]) => {
            const policies = policiesOf(mapping, situation);
            return (
              <tr key={situation}>
                <th scope="row">
                  <code>{situation}</code>
                </th>
                <td>{counts[situation] ?? '–'}</td>
                <td>
                  <div className="stack">
                    {policies.map((policy) => (
                      <Action
                        key={policy.at}
                        label={t.policy(situation)}
                        otherwise={otherwise}
                        action={policy.action}
                        onChoose={(action) =>
                          onChange(
                            withPolicy(
                              mapping,
                              policy.at,
                              action === '' ? undefined : { ...policy.written, action },
                            ),
                          )
                        }
                      />
                    ))}
                    {policies.length > 0 ? null : (
                      <Action
                        label={t.policy(situation)}
                        otherwise={otherwise}
                        action=""
                        onChoose={(action) => onChange(withPolicy(mapping, undefined, { situation, action }))}
                      />
                    )}
                  </div>
                </td>
                <td>
                  <div className="stack">
                    {policies.map((policy) => (
                      <span key={policy.at} className="row">
                        <Button
                          aria-label={t.moreOf(situation)}
                          onPress={() => setOpen({ situation, policy })}
                        >
                          {t.more}
                        </Button>
                        <ScriptText of={policy.written['condition']} />
                      </span>
                    ))}
                    {policies.length === 0 || policies.at(-1)?.written['condition'] === undefined ? null : (
                      <Button
                        aria-label={t.addOf(situation)}
                        onPress={() =>
                          onChange(withPolicy(mapping, undefined, { situation, action: otherwise }))
                        }
                      >
                        {t.add}
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {open === undefined ? null : (
        <PolicyDialog
          title={t.policy(open.situation)}
          written={open.policy.written}
          onClose={() => setOpen(undefined)}
          onTake={(written) => {
            setOpen(undefined);
            onChange(withPolicy(mapping, open.policy.at, written));
          }}
        />
      )}
    </section>
  );
}

function Action({
  label,
  otherwise,
  action,
  onChoose,
}: {
  readonly label: string;
  readonly otherwise: string;
  /** Undefined: a script says it. */
  readonly action: string | undefined;
  readonly onChoose: (action: string) => void;
}) {
  const t = useWords(words);
  if (action === undefined) return <span className="soft">{t.byScript}</span>;
  return (
    <select
      className="input"
      aria-label={label}
      value={action}
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="">{t.otherwise(otherwise)}</option>
      {ACTIONS.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

function PolicyDialog({
  title,
  written,
  onClose,
  onTake,
}: {
  readonly title: string;
  readonly written: JsonObject;
  readonly onClose: () => void;
  readonly onTake: (written: JsonObject) => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const [draft, setDraft] = useState(written);
  const set = (name: string, value: JsonObject[string]) =>
    setDraft(({ [name]: _, ...others }) => (value === undefined ? others : { ...others, [name]: value }));
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <ConditionField
        label={t.condition}
        value={draft['condition']}
        onChange={(value) => set('condition', value)}
      />
      <ScriptField
        label={t.postAction}
        value={draft['postAction']}
        onChange={(value) => set('postAction', value)}
      />
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" onPress={() => onTake(draft)}>
          {t.take}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
