import type { JsonObject } from '#json/index.ts';

/** One link of a chain of causes: what happened, or is to happen, when (ISO), as a sentence without a subject that changes. */
export interface WhyLink extends JsonObject {
  readonly at: string;
  readonly text: string;
  /** The path of the resource that shows it, where whoever asks may see that. */
  readonly ref?: string;
}

/** Why something is as it is: in one word, in one sentence, and what has led to it. */
export interface Why extends JsonObject {
  readonly outcome: string;
  readonly why: string;
  readonly chain: WhyLink[];
}

export function whyOf(outcome: string, why: string, chain: readonly WhyLink[]): Why {
  return { outcome, why, chain: chain.toSorted((left, right) => left.at.localeCompare(right.at)) };
}
