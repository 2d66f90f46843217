import { Badge, type Tone } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import type { Availability, Tested } from './system.ts';
import { words } from './words.ts';

const LOOKS = {
  up: ['good', '✓'],
  failing: ['warn', '!'],
  away: ['bad', '✖'],
  disabled: ['quiet', '⊘'],
  unknown: ['quiet', '◌'],
} as const satisfies Readonly<Record<Availability['state'], readonly [Tone, string]>>;

export function SystemState({ of: { state } }: { readonly of: Availability }) {
  const t = useWords(words);
  const [tone, mark] = LOOKS[state];
  return (
    <Badge tone={tone} mark={mark}>
      {t[state]}
    </Badge>
  );
}

/** Why nobody is sent there, since when, and when it is tried again. */
export function Trouble({ of: { state, why, since, retryAt } }: { readonly of: Availability }) {
  const t = useWords(words);
  if (why === undefined) return null;
  return (
    <div className={`note ${state === 'away' ? 'bad' : 'warn'}`}>
      <Icon name={state === 'away' ? 'bad' : 'warn'} />
      <div className="note-body">
        <p className="title">{why}</p>
        {since === undefined ? null : (
          <p className="row">
            <span>
              {t.since} <Ago at={since} />
            </span>
            <span>
              {t.retry} <Ago at={retryAt} />
            </span>
          </p>
        )}
      </div>
    </div>
  );
}

/** What a test has come to. */
export function Outcome({ of: { name, ok, error, hint } }: { readonly of: Tested }) {
  const t = useWords(words);
  return (
    <div className={`note ${ok ? 'good' : 'bad'}`} role="status">
      <Icon name={ok ? 'check' : 'bad'} />
      <div className="note-body">
        <p className="title">{ok ? t.reached(name) : t.notReached(name)}</p>
        {error === undefined ? null : <p>{error}</p>}
        {hint === undefined ? null : <p>{hint}</p>}
      </div>
    </div>
  );
}
