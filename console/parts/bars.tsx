/** How much there was in each stretch of time: what went well, and on top of it what did not. */
export interface Bar {
  readonly title: string;
  readonly good: number;
  readonly bad: number;
}

const WIDTH = 600;
const HEIGHT = 72;

export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const step = WIDTH / Math.max(1, bars.length);
  const scale = (HEIGHT - 4) / most;
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="bars-ground" />
      {bars.map(({ title, good, bad }, at) => (
        <g key={title}>
          <title>{title}</title>
          <rect
            x={at * step + 1}
            width={step - 2}
            y={HEIGHT - good * scale}
            height={good * scale}
            className="bars-good"
          />
          <rect
            x={at * step + 1}
            width={step - 2}
            y={HEIGHT - (good + bad) * scale}
            height={bad * scale}
            className="bars-bad"
          />
        </g>
      ))}
    </svg>
  );
}
