import { Badge, type Tone } from '../../parts/badge.tsx';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** As `scheduler/job` shows it. */
export interface Schedule {
  readonly _id: string;
  readonly _rev: string;
  readonly enabled: boolean;
  readonly persisted: boolean;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly words?: string;
  readonly invokeService: string;
  readonly invokeContext?: unknown;
  readonly misfirePolicy?: string;
  readonly concurrentExecution?: boolean;
  readonly nodeId?: string;
  readonly nextRunDate: string | null;
  readonly previousRunDate: string | null;
  readonly triggers: readonly { readonly state: number }[];
}

/** A row of the ledger. */
export interface Firing {
  readonly _id: string;
  readonly schedule: string;
  readonly plannedAt: string;
  readonly outcome: string;
  readonly failed: boolean;
  readonly node: string | null;
  readonly lateMs: number | null;
  readonly tookMs: number | null;
  readonly error: { readonly message?: string; readonly at?: string } | string | null;
  readonly log: readonly { readonly level: string; readonly message: string }[];
}

/** The file of the script that it runs; undefined where there is none. */
export function scriptFileOf({ invokeContext }: Schedule): string | undefined {
  const context = new Object(invokeContext);
  const task = new Object(Reflect.get(context, 'task'));
  const script: unknown = Reflect.get(context, 'script') ?? Reflect.get(task, 'script');
  const file: unknown = Reflect.get(new Object(script), 'file');
  return typeof file === 'string' ? file : undefined;
}

const STATES = [
  ['NORMAL', 'good', '●'],
  ['PAUSED', 'warn', '‖'],
  ['COMPLETE', 'quiet', '✓'],
  ['ERROR', 'bad', '✖'],
  ['BLOCKED', 'info', '◍'],
] as const satisfies readonly (readonly [string, Tone, string])[];

export function StateBadge({ schedule }: { readonly schedule: Schedule }) {
  const t = useWords(words);
  const state = STATES[schedule.triggers[0]?.state ?? -1];
  if (!schedule.enabled || state === undefined) {
    return (
      <Badge tone="quiet" mark="○">
        {t.disabled}
      </Badge>
    );
  }
  const [name, tone, mark] = state;
  return (
    <Badge tone={tone} mark={mark}>
      {t[name]}
    </Badge>
  );
}

const OUTCOMES: Readonly<Record<string, readonly [Tone, string]>> = {
  fired: ['good', '●'],
  late: ['warn', '◐'],
  manual: ['info', '▲'],
  recovered: ['info', '↻'],
  misfired: ['warn', '✕'],
  skipped: ['quiet', '⊘'],
  lost: ['bad', '✖'],
};

export type Outcome = Pick<Firing, 'outcome' | 'failed'>;

/** How an outcome looks: what has failed looks so, however it was fired. */
export function lookOf({ outcome, failed }: Outcome): readonly [Tone, string] {
  return failed ? ['bad', '✗'] : (OUTCOMES[outcome] ?? ['quiet', '○']);
}

/** What an outcome is called. */
export function useOutcomeName(): (of: Outcome) => string {
  const t = useWords(words);
  const names: Readonly<Record<string, unknown>> = { ...t, late: t.lateOutcome };
  return ({ outcome, failed }) => {
    const said = outcome in OUTCOMES ? String(names[outcome]) : outcome;
    return failed ? `${said} · ${t.failed}` : said;
  };
}

export function OutcomeBadge({ firing }: { readonly firing: Outcome }) {
  const nameOf = useOutcomeName();
  const [tone, mark] = lookOf(firing);
  return (
    <Badge tone={tone} mark={mark}>
      {nameOf(firing)}
    </Badge>
  );
}
