import type { Kind, Property } from './schema.ts';

/** What every control of a form is given. */
export interface ControlProps {
  readonly name: string;
  readonly label: string;
  readonly kind: Kind;
  readonly property: Property;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isReadOnly: boolean;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
}
