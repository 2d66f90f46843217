import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/page.tsx';
import { absolute } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import styles from './schedules.module.css';
import { words } from './words.ts';

interface Plan {
  readonly from: string;
  readonly to: string;
  readonly schedules: readonly {
    readonly _id: string;
    readonly words?: string;
    readonly times?: readonly string[];
    readonly every?: string;
  }[];
  readonly slots: {
    readonly capacity: number;
    readonly needed: readonly number[];
    readonly short: readonly unknown[];
  };
}

const WIDTH = 960;
const LABEL_WIDTH = 60;
const TICK_HOURS = 4;
const HOUR_MS = 3_600_000;

/** When each schedule is to run within the next day, and whether there is room for all. */
export function Calendar() {
  const t = useWords(words);
  const plan = useQuery({
    queryKey: ['schedule', 'calendar'],
    queryFn: () => client.resource('scheduler/job').action<Plan>('calendar', { body: {} }),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded of={plan}>
      {(found) =>
        found.schedules.length === 0 ? (
          <Empty icon="schedules" title={t.none} />
        ) : (
          <div className="stack">
            <div className={`card card-body ${styles['calendar']}`}>
              <Scale plan={found} />
              {found.schedules.map((schedule) => (
                <Lane key={schedule._id} plan={found} schedule={schedule} />
              ))}
            </div>
            <p className={found.slots.short.length > 0 ? 'note warn' : 'soft'}>
              {found.slots.short.length > 0 ? <Icon name="warn" /> : null}
              <span>
                {t.slots(Math.max(0, ...found.slots.needed), found.slots.capacity)}{' '}
                {found.slots.short.length > 0 ? t.short : ''}
              </span>
            </p>
          </div>
        )
      }
    </Loaded>
  );
}

function place(plan: Plan, at: number): number {
  const from = Date.parse(plan.from);
  return ((at - from) / (Date.parse(plan.to) - from)) * WIDTH;
}

function Scale({ plan }: { readonly plan: Plan }) {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
  const hours: number[] = [];
  const step = TICK_HOURS * HOUR_MS;
  for (
    let at = Math.ceil(Date.parse(plan.from) / step) * step;
    place(plan, at) < WIDTH - LABEL_WIDTH;
    at += step
  )
    hours.push(at);
  return (
    <div className={styles['lane']}>
      <span />
      <svg viewBox={`0 0 ${WIDTH} 18`} className={styles['scale']} aria-hidden="true">
        {hours.map((at) => (
          <text key={at} x={place(plan, at)} y="13">
            {format.format(at)}
          </text>
        ))}
      </svg>
    </div>
  );
}

function Lane({ plan, schedule }: { readonly plan: Plan; readonly schedule: Plan['schedules'][number] }) {
  const t = useWords(words);
  const language = useLanguage();
  const { _id, times = [], every, words: said } = schedule;
  const title =
    every === undefined ? times.map((at) => absolute(new Date(at), language)).join(', ') : t.every(every);
  return (
    <div className={styles['lane']}>
      <span className={styles['lane-name']}>
        <Link to={`/schedules/${encodeURIComponent(_id)}`}>{_id}</Link>
        <br />
        <span className="soft">{said}</span>
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} 28`}
        preserveAspectRatio="none"
        className={styles['track']}
        role="img"
        aria-label={`${_id}: ${title}`}
      >
        {every === undefined ? (
          times.map((at) => (
            <rect key={at} x={place(plan, Date.parse(at)) - 2} y="4" width="5" height="20" rx="1" />
          ))
        ) : (
          <rect x="0" y="10" width={WIDTH} height="8" rx="2" className={styles['often']} />
        )}
      </svg>
    </div>
  );
}
