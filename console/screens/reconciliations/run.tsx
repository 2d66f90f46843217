import { Badge, type Tone } from '../../parts/badge.tsx';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** A run, as `/recon` shows it. */
export interface Run {
  readonly _id: string;
  readonly mapping: string;
  readonly mode: 'apply' | 'plan';
  readonly state: keyof typeof LOOKS;
  readonly stageDescription: string;
  readonly progress: {
    readonly source: { readonly existing: Progress };
    readonly target: { readonly existing: Progress };
  };
  readonly situationSummary: Readonly<Record<string, number>>;
  readonly entrySummary: Readonly<Record<EntryState, number>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly started: string;
  readonly ended: string;
  readonly duration: number;
  readonly estimate: string;
  readonly error: { readonly message?: string; readonly hint?: string } | null;
}

interface Progress {
  readonly processed: number;
  /** `?` as long as nobody knows. */
  readonly total: string;
}

export type EntryState = 'listed' | 'planned' | 'applied' | 'failed' | 'skipped' | 'changed' | 'counted';

export interface Entry {
  readonly _id: string;
  readonly sourceId: string | null;
  readonly targetId: string | null;
  readonly ambiguousTargetIds: readonly string[] | null;
  readonly situation: string | null;
  readonly action: string | null;
  readonly state: EntryState;
  readonly takesAway: boolean;
  readonly difference: readonly string[] | null;
  readonly error: { readonly message?: string; readonly hint?: string } | null;
}

/** What a run comes to, as its report says it. */
export interface Report {
  readonly actions: readonly {
    readonly phase: string;
    readonly situation: string | null;
    readonly action: string | null;
    readonly state: EntryState;
    readonly takesAway: boolean;
    readonly entries: number;
  }[];
  /** What the threshold of the mapping has against it. */
  readonly refusal: { readonly message?: string; readonly hint?: string } | null;
  readonly attributes: readonly {
    readonly attribute: string;
    readonly action: string;
    readonly entries: number;
    /** Numbers of entries. */
    readonly examples: readonly number[];
  }[];
}

const LOOKS = {
  ACTIVE: ['info', '◍'],
  SUCCESS: ['good', '✓'],
  CANCELED: ['quiet', '⊘'],
  FAILED: ['bad', '✖'],
} as const satisfies Readonly<Record<string, readonly [Tone, string]>>;

export function isUnderWay({ state }: Pick<Run, 'state'>): boolean {
  return state === 'ACTIVE';
}

/** A plan that is ready waits for somebody, whatever its state is called. */
export function RunState({ of: { state, mode, entrySummary } }: { readonly of: Run }) {
  const t = useWords(words);
  if (state === 'SUCCESS' && entrySummary.planned > 0) {
    return (
      <Badge tone="warn" mark="◌">
        {t.waiting}
      </Badge>
    );
  }
  if (state === 'SUCCESS' && entrySummary.failed > 0) {
    return (
      <Badge tone="warn" mark="✓!">
        {t.withFailures(entrySummary.failed)}
      </Badge>
    );
  }
  const [tone, mark] = LOOKS[state];
  return (
    <Badge tone={tone} mark={mark}>
      {mode === 'plan' && state === 'ACTIVE' ? t.planning : t[state]}
    </Badge>
  );
}

/** How far one side is, as a bar and in words. */
export function Side({ title, of: { processed, total } }: { readonly title: string; readonly of: Progress }) {
  const t = useWords(words);
  const known = Number(total);
  const label = `${title}: ${Number.isNaN(known) ? processed : t.done(processed, known)}`;
  return (
    <span className="row">
      <progress
        value={processed}
        max={Math.max(Number.isNaN(known) ? 0 : known, processed, 1)}
        aria-label={label}
      />
      <span>{label}</span>
    </span>
  );
}
