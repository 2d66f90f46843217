import { useEffect, useState } from 'react';
import { type Language, useLanguage } from '../words/words.ts';

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** How long ago, or how long until, such as 'in 5 minutes'. */
export function relative(at: Date, now: number, language: Language): string {
  const seconds = Math.round((at.getTime() - now) / 1_000);
  const [unit, length] = STEPS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
    Math.trunc(seconds / length),
    unit,
  );
}

export function absolute(at: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

/** A moment as far as it is from now; the moment itself is told beside it. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const language = useLanguage();
  const now = useNow();
  if (at === null || at === undefined || at === '') return <span aria-hidden="true">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={absolute(date, language)}>
      {relative(date, now, language)}
    </time>
  );
}

export function Moment({ at }: { readonly at: string | null | undefined }) {
  const language = useLanguage();
  if (at === null || at === undefined || at === '') return <span aria-hidden="true">–</span>;
  return (
    <time dateTime={at} title={at}>
      {absolute(new Date(at), language)}
    </time>
  );
}

/** Such as '226 ms' or '3.4 s'. */
export function Took({ ms }: { readonly ms: number | null | undefined }) {
  const language = useLanguage();
  if (ms === null || ms === undefined) return <span aria-hidden="true">–</span>;
  const [value, unit] =
    ms < 1_000
      ? ([ms, 'millisecond'] as const)
      : ms < 60_000
        ? ([ms / 1_000, 'second'] as const)
        : ([ms / 60_000, 'minute'] as const);
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  });
  return <span>{format.format(value)}</span>;
}

const listeners = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;

/** One clock for all of a page. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const hear = () => setNow(Date.now());
    listeners.add(hear);
    clock ??= setInterval(() => {
      for (const listener of listeners) listener();
    }, 1_000);
    return () => {
      listeners.delete(hear);
      if (listeners.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    };
  }, []);
  return now;
}
