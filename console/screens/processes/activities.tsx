import { Link } from '@tanstack/react-router';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment, Took } from '../../parts/time.tsx';
import { useWords } from '../../words/words.ts';
import { addressOf } from './process.tsx';
import { words } from './words.ts';

/** One stay at an element. */
export interface Activity {
  readonly element: string;
  readonly name: string | null;
  readonly kind: string | null;
  /** Null of what has not begun, such as a timer that waits. */
  readonly entered: string | null;
  readonly left: string | null;
  readonly reason: string | null;
  readonly executionId: string;
  readonly actor: string | null;
  readonly taskId: string | null;
  readonly calledInstanceId: string | null;
}

/** What has been entered, in its order. */
export function stepsOf(activities: readonly Activity[]): readonly Activity[] {
  return activities.filter(({ entered }) => entered !== null);
}

/** The elements where something stood when a step was made: it, and what had begun before and was not over. */
export function standingAt(steps: readonly Activity[], at: number): ReadonlySet<string> {
  const moment = steps[at]?.entered ?? '';
  return new Set(
    steps
      .filter(({ left }, index) => index === at || (index < at && (left === null || left > moment)))
      .map(({ element }) => element),
  );
}

/** Where an instance has been, in the order of time. */
export function Activities({
  activities,
  hint,
}: {
  readonly activities: readonly Activity[];
  readonly hint: string | undefined;
}) {
  const t = useWords(words);
  const been = stepsOf(activities);
  const columns: readonly Column<Activity>[] = [
    {
      id: 'element',
      title: t.element,
      cell: ({ name, element }) => name ?? element,
      width: 'minmax(14rem, 2fr)',
    },
    { id: 'kind', title: t.kind, cell: ({ kind }) => kind, width: 'minmax(8rem, 1fr)' },
    { id: 'entered', title: t.enteredAt, cell: ({ entered }) => <Moment at={entered} />, width: '13rem' },
    {
      id: 'took',
      title: t.took,
      cell: ({ entered, left }) =>
        entered === null || left === null ? t.still : <Took ms={Date.parse(left) - Date.parse(entered)} />,
      width: '8rem',
    },
    { id: 'actor', title: t.actor, cell: ({ actor }) => actor ?? '–', width: '9rem' },
    { id: 'reason', title: t.reason, cell: ({ reason }) => reason ?? '', width: 'minmax(8rem, 1fr)' },
    {
      id: 'called',
      title: t.called,
      cell: ({ calledInstanceId }) =>
        calledInstanceId === null ? null : <Link to={addressOf('instance', calledInstanceId)}>{t.open}</Link>,
      width: '8rem',
    },
  ];
  return (
    <div className="stack">
      {hint === undefined ? null : <p className="hint">{hint}</p>}
      {been.length === 0 ? (
        <p className="soft">{t.noActivities}</p>
      ) : (
        <Table
          label={t.activities}
          columns={columns}
          rows={been}
          idOf={({ executionId, element, entered }) => `${executionId} ${element} ${entered}`}
        />
      )}
    </div>
  );
}
