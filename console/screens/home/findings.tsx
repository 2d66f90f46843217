import { type ReactNode, useRef, useState } from 'react';
import type { Call } from '#client/index.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Ago, useNow } from '../../parts/time.tsx';
import { ResourceLink } from '../../sync/resource-link.tsx';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { inForce, keep, keyOf, useAside } from './aside.ts';
import { AsideDialog } from './aside-dialog.tsx';
import styles from './home.module.css';
import type { Finding } from './status.ts';
import { words } from './words.ts';

const LOOKS: Readonly<Record<Finding['severity'], readonly [Tone, string]>> = {
  error: ['bad', '✗'],
  warning: ['warn', '!'],
  info: ['info', 'i'],
};

/** What is wrong, why, and what mends it; the mend is rehearsed first. What somebody has put aside stands below. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const t = useWords(words);
  const review = useReview();
  const kept = useAside();
  const aside = inForce(kept.data, useNow());
  const [later, setLater] = useState<Finding>();
  const list = useRef<HTMLUListElement>(null);
  const goTo = (nth: number) =>
    list.current?.querySelectorAll('li')[nth]?.querySelector<HTMLElement>('a, button')?.focus();
  const open = findings.filter((finding) => !aside.has(keyOf(finding)));
  const put = findings.filter((finding) => aside.has(keyOf(finding)));
  useKeys(Object.fromEntries(open.slice(0, 9).map((_, nth) => [String(nth + 1), () => goTo(nth)])));
  const store = (next: typeof aside, title: string, done: string) => {
    if (kept.data === undefined) return;
    void review({ title, done, call: keep(kept.data, next), touches: ['preference', 'audit'] });
  };
  const showAgain = (finding: Finding) =>
    store(
      new Map([...aside].filter(([key]) => key !== keyOf(finding))),
      t.againTitle(finding.subject),
      t.againDone(finding.subject),
    );
  return (
    <>
      {open.length === 0 ? null : (
        <section className="card" aria-label={t.findings}>
          <ul ref={list}>
            {open.map((finding) => (
              <OneFinding key={keyOf(finding)} finding={finding}>
                {kept.data === undefined ? null : (
                  <Button look="quiet" onPress={() => setLater(finding)}>
                    {t.later}
                  </Button>
                )}
              </OneFinding>
            ))}
          </ul>
        </section>
      )}
      {put.length === 0 ? null : (
        <details className="card">
          <summary className={styles['aside']}>{t.aside(put.length)}</summary>
          <ul>
            {put.map((finding) => {
              const { until, reason } = aside.get(keyOf(finding)) ?? {};
              return (
                <OneFinding key={keyOf(finding)} finding={finding}>
                  <span className="soft">
                    {reason} · <Ago at={until} />
                  </span>
                  <Button onPress={() => showAgain(finding)}>{t.again}</Button>
                </OneFinding>
              );
            })}
          </ul>
        </details>
      )}
      {later === undefined ? null : (
        <AsideDialog
          what={later.subject}
          onClose={() => setLater(undefined)}
          onAside={(one) => {
            setLater(undefined);
            store(
              new Map([...aside, [keyOf(later), one]]),
              t.asideTitle(later.subject),
              t.asideDone(later.subject),
            );
          }}
        />
      )}
    </>
  );
}

function OneFinding({
  finding,
  children,
}: {
  readonly finding: Finding;
  /** What else is done about it. */
  readonly children: ReactNode;
}) {
  const t = useWords(words);
  const review = useReview();
  const { severity, subject, text, hint, since, at, actions = [] } = finding;
  const [tone, mark] = LOOKS[severity];
  return (
    <li className={styles['finding']}>
      <Badge tone={tone} mark={mark}>
        {t[severity]}
      </Badge>
      <div className={styles['told']}>
        <p>
          <strong>
            <ResourceLink of={subject} />
          </strong>{' '}
          {text}
        </p>
        <p className="soft">
          {hint}
          {at === undefined ? null : <code> {at}</code>}
        </p>
      </div>
      {since === null ? null : (
        <span className="soft">
          <Ago at={since} />
        </span>
      )}
      {actions.map(({ title, request }) => {
        const call = callOf(request);
        if (call === undefined) return null;
        return (
          <Button
            key={title}
            onPress={() =>
              void review({
                title: `${title}: ${subject}`,
                done: t.done(title),
                call,
                touches: ['node', 'firing', 'schedule'],
              })
            }
          >
            {title}
          </Button>
        );
      })}
      {children}
    </li>
  );
}

/** A request as a finding writes it, such as `POST scheduler/job/nightly?_action=trigger`; only changes are offered here. */
function callOf(request: string): Call | undefined {
  const [method = '', address = ''] = request.split(' ');
  const [path = '', search = ''] = address.split('?');
  const parameters = Object.fromEntries(new URLSearchParams(search));
  if (method !== 'POST' || parameters['_action'] === 'why') return undefined;
  return { method, path: path.split('/'), parameters };
}
