import { Moment } from './time.tsx';

/** Why something is as it is, as every `why` of the server answers. */
export interface Why {
  readonly outcome: string;
  readonly why: string;
  readonly chain: readonly { readonly at?: string; readonly text: string; readonly ref?: string }[];
}

/** The sentence, and what led to it, in the order of time. */
export function WhyChain({ why }: { readonly why: Why }) {
  return (
    <div className="stack">
      <p>
        <strong>{why.why}</strong>
      </p>
      <ol className="chain">
        {why.chain.map(({ at, text, ref }) => (
          <li key={`${at ?? ''} ${text}`}>
            <span className="soft">
              <Moment at={at} />
            </span>
            <span>
              {text}
              {ref === undefined ? null : <code className="soft"> {ref}</code>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
