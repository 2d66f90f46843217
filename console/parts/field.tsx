import type { ReactNode } from 'react';
import { TextField as AriaTextField, FieldError, Input, Label, Text, TextArea } from 'react-aria-components';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** It was left. */
  readonly onBlur?: () => void;
  readonly name?: string;
  readonly type?: 'text' | 'password' | 'email' | 'search' | 'url';
  readonly isRequired?: boolean;
  readonly isReadOnly?: boolean;
  readonly isMultiline?: boolean;
  readonly autoFocus?: boolean;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
}

/** A line of text, or some. */
export function TextField({
  label,
  hint,
  problem,
  placeholder,
  isMultiline = false,
  isRequired = false,
  ...props
}: Props) {
  return (
    <AriaTextField {...props} className="field" isInvalid={problem !== undefined} validationBehavior="aria">
      <Label>
        {label}
        {isRequired ? <RequiredMark /> : null}
      </Label>
      {isMultiline ? (
        <TextArea className="input" rows={5} {...(placeholder === undefined ? {} : { placeholder })} />
      ) : (
        <Input className="input" {...(placeholder === undefined ? {} : { placeholder })} />
      )}
      {hint === undefined ? null : (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="problem">{problem}</FieldError>
    </AriaTextField>
  );
}

export function RequiredMark() {
  return (
    <span className="required" aria-hidden="true">
      {' *'}
    </span>
  );
}
