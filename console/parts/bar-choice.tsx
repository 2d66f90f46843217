import { ListBox, ListBoxItem } from 'react-aria-components';

export interface ChoosableBar {
  readonly id: string;
  /** When that is, and how much there was. */
  readonly title: string;
  readonly count: number;
}

/** How much there was in each stretch of time, of which one can be chosen; arrows go from one to the other. */
export function BarChoice({
  label,
  bars,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly bars: readonly ChoosableBar[];
  readonly chosen: string | undefined;
  /** Undefined: all of them again. */
  readonly onChoose: (id: string | undefined) => void;
}) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ListBox
      aria-label={label}
      className="bar-choice"
      orientation="horizontal"
      selectionMode="single"
      selectedKeys={chosen === undefined ? [] : [chosen]}
      onSelectionChange={(keys) => onChoose(keys === 'all' ? undefined : [...keys].map(String)[0])}
    >
      {bars.map(({ id, title, count }) => (
        <ListBoxItem key={id} id={id} textValue={title} aria-label={title} className="bar-one">
          <div title={title} style={{ height: `${count === 0 ? 0 : Math.max(4, (100 * count) / most)}%` }} />
        </ListBoxItem>
      ))}
    </ListBox>
  );
}
