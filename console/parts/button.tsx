import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components';
import { Icon, type IconName } from './icon.tsx';

type Look = 'primary' | 'danger' | 'quiet' | 'danger primary';

interface Props extends Omit<ButtonProps, 'className' | 'style' | 'children'> {
  readonly look?: Look;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

export function Button({ look, icon, children, ...props }: Props) {
  return (
    <AriaButton {...props} className={look === undefined ? 'button' : `button ${look}`}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** A button that is an icon; its label shows beside it. */
export function IconButton({
  icon,
  label,
  ...props
}: Omit<ButtonProps, 'className' | 'style' | 'children'> & {
  readonly icon: IconName;
  readonly label: string;
}) {
  return (
    <TooltipTrigger delay={400}>
      <AriaButton {...props} aria-label={label} className="button quiet only-icon">
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="popover" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
