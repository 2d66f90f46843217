import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** A state: a shape, a word and a colour, so that the colour is never needed. */
export function Badge({
  tone,
  mark,
  children,
}: {
  readonly tone: Tone;
  readonly mark: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{mark}</span>
      {children}
    </span>
  );
}
