import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import styles from './home.module.css';

/** How much there was in a stretch of time: what went well, and on top of it what did not. */
export interface Bar {
  readonly title: string;
  readonly good: number;
  readonly bad: number;
  /** What the list of it is asked for with. */
  readonly filter: string;
}

const WIDTH = 600;
const HEIGHT = 72;

/** Bars that lead to what they count; Tab comes to the last of them, and the arrows go from one to the other. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const step = WIDTH / Math.max(1, bars.length);
  const scale = (HEIGHT - 4) / most;
  const filled = bars.filter(({ good, bad }) => good + bad > 0);
  return (
    <svg
      className={styles['bars']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="group"
      aria-label={label}
      onKeyDown={move}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={styles['bars-ground']} />
      {bars.map((bar, at) => {
        const { title, good, bad, filter } = bar;
        if (good + bad === 0) return null;
        return (
          <Link
            key={title}
            to="/schedules"
            search={{ tab: 'ledger', filter }}
            aria-label={title}
            tabIndex={bar === filled.at(-1) ? 0 : -1}
          >
            <title>{title}</title>
            <rect x={at * step} width={step} y="0" height={HEIGHT} className={styles['bars-room']} />
            <rect
              x={at * step + 1}
              width={step - 2}
              y={HEIGHT - good * scale}
              height={good * scale}
              className={styles['bars-good']}
            />
            <rect
              x={at * step + 1}
              width={step - 2}
              y={HEIGHT - (good + bad) * scale}
              height={bad * scale}
              className={styles['bars-bad']}
            />
          </Link>
        );
      })}
    </svg>
  );
}

function move(event: KeyboardEvent<SVGSVGElement>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  const all = [...event.currentTarget.querySelectorAll<SVGAElement>('a')];
  const next = all[all.findIndex((one) => one.matches(':focus')) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
