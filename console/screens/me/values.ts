import type { Values } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';

/** What a form shows before anything is typed. */
export function valuesOf({ properties }: Schema): Values {
  return Object.fromEntries(Object.entries(properties).map(([name, { value }]) => [name, value]));
}
