import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface Choice {
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
}

/** A button that opens a list of things to do, or of which some can be chosen. */
export function Menu({
  label,
  icon,
  isIcon = false,
  choices,
  chosen,
  isMany = false,
  onChoose,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly isIcon?: boolean;
  readonly choices: readonly Choice[];
  readonly chosen?: readonly string[];
  readonly isMany?: boolean;
  readonly onChoose: (id: string) => void;
}) {
  const mode = chosen === undefined ? 'none' : isMany ? 'multiple' : 'single';
  return (
    <MenuTrigger>
      {isIcon ? (
        <IconButton icon={icon ?? 'more'} label={label} />
      ) : (
        <Button {...(icon === undefined ? {} : { icon })}>
          {label}
          <Icon name="down" small />
        </Button>
      )}
      <Popover className="popover">
        <AriaMenu
          aria-label={label}
          items={choices}
          selectionMode={mode}
          selectedKeys={chosen ?? []}
          onAction={(key) => onChoose(String(key))}
          shouldCloseOnSelect={!isMany}
        >
          {({ id, title, icon: own }) => (
            <MenuItem id={id} textValue={title} className="menu-item">
              {mode === 'none' ? null : (
                <span className={chosen?.includes(id) ? '' : 'unselected'}>
                  <Icon name="check" small />
                </span>
              )}
              {own === undefined ? null : <Icon name={own} />}
              {title}
            </MenuItem>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
