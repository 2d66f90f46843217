import type { ReactNode } from 'react';

export interface Fact {
  readonly title: string;
  readonly value: ReactNode;
}

/** What there is to know of one thing, line by line. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl className="facts">
      {of.map(({ title, value }) => (
        <div key={title} className="fact-row">
          <dt>{title}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
