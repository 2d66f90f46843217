import type { Scan } from '#client/index.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

const LOOKS = {
  INITIALIZED: ['quiet', '◌'],
  ACTIVE: ['info', '◍'],
  COMPLETED: ['good', '✓'],
  CANCELLED: ['quiet', '⊘'],
  ERROR: ['bad', '✖'],
} as const satisfies Readonly<Record<Scan['progress']['state'], readonly [Tone, string]>>;

export function isUnderWay({ progress: { state } }: Scan): boolean {
  return state === 'ACTIVE' || state === 'INITIALIZED';
}

export function ScanState({ of: { progress } }: { readonly of: Scan }) {
  const t = useWords(words);
  const { state, failures } = progress;
  const [tone, mark] = LOOKS[state];
  return state === 'COMPLETED' && failures > 0 ? (
    <Badge tone="warn" mark="✓!">
      {t.withFailures(failures)}
    </Badge>
  ) : (
    <Badge tone={tone} mark={mark}>
      {t[state]}
    </Badge>
  );
}

/** How far it is, as a bar and in words. */
export function Progress({ of: { progress } }: { readonly of: Scan }) {
  const t = useWords(words);
  const { processed, total } = progress;
  const label = t.done(processed, total);
  return (
    <span className="row">
      <progress value={processed} max={Math.max(total, processed, 1)} aria-label={label} />
      <span>{label}</span>
    </span>
  );
}

/** Failures that are alike: as often as they are among those that the run names, with the first objects. */
export function alike(errors: Scan['errors']): readonly { message: string; objects: readonly string[] }[] {
  const groups = Map.groupBy(errors, ({ error }) => error.message);
  return [...groups]
    .map(([message, group]) => ({ message, objects: group.map(({ objectID }) => objectID) }))
    .sort((a, b) => b.objects.length - a.objects.length);
}
