import { outside } from './dispatch-port.ts';
import { illegalArgument } from './throwable.ts';

/** `%tY` and the like; filled in by the dates. */
export const dateFormats = {
  format: (_value: unknown, _kind: string): string | undefined => undefined,
};

export function formatDateWith(value: unknown, kind: string): string {
  const text =
    dateFormats.format(value, kind) ??
    (outside.loads('SimpleDateFormat') ? dateFormats.format(value, kind) : undefined);
  if (text === undefined) throw illegalArgument(`%t${kind}`);
  return text;
}
