import { useRef } from 'react';
import type { Call } from '#client/index.ts';
import { useKeys } from '../../parts/keys.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Ago } from '../../parts/time.tsx';
import { ResourceLink } from '../../sync/resource-link.tsx';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import styles from './home.module.css';
import type { Finding } from './status.ts';
import { words } from './words.ts';

const LOOKS: Readonly<Record<Finding['severity'], readonly [Tone, string]>> = {
  error: ['bad', '✗'],
  warning: ['warn', '!'],
  info: ['info', 'i'],
};

/** What is wrong, why, and what mends it; the mend is rehearsed first. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const t = useWords(words);
  const list = useRef<HTMLUListElement>(null);
  const goTo = (nth: number) =>
    list.current?.querySelectorAll('li')[nth]?.querySelector<HTMLElement>('a, button')?.focus();
  useKeys(Object.fromEntries(findings.slice(0, 9).map((_, nth) => [String(nth + 1), () => goTo(nth)])));
  if (findings.length === 0) return null;
  return (
    <section className="card" aria-label={t.findings}>
      <ul ref={list}>
        {findings.map((finding) => (
          <OneFinding key={`${finding.id} ${finding.subject}`} finding={finding} />
        ))}
      </ul>
    </section>
  );
}

function OneFinding({ finding }: { readonly finding: Finding }) {
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
