import { Checkbox } from 'react-aria-components';
import { Icon } from './icon.tsx';

/** Something that is so or is not. */
export function Flag({
  label,
  is,
  onChange,
}: {
  readonly label: string;
  readonly is: boolean;
  readonly onChange: (is: boolean) => void;
}) {
  return (
    <Checkbox className="menu-item choice" isSelected={is} onChange={onChange}>
      <span className="tick">
        <span className={is ? '' : 'unselected'}>
          <Icon name="check" small />
        </span>
      </span>
      {label}
    </Checkbox>
  );
}
