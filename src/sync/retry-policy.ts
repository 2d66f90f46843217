import type { ProvisionerConfig } from '#config/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';

/** How often a delivery is tried, where nothing else is said. */
export const MOST_ATTEMPTS = 5;

/** What becomes of deliveries that fail. */
export interface RetryPolicy {
  /** How often each is tried; infinite for as often as it takes. */
  readonly mostAttempts: number;
  /** Then: it stays in the queue as dead, is dropped, or is a dead letter; or a script says so. */
  readonly afterwards: 'dead' | 'ignore' | 'dead-letter' | ScriptReference;
  /** Whether a change told by another system holds up all that come after it when it fails. */
  readonly isStrict: boolean;
  /** Whether all is compared where a system does not know any more what has changed. */
  readonly reconcilesGaps: boolean;
}

export const USUAL_POLICY: RetryPolicy = {
  mostAttempts: MOST_ATTEMPTS,
  afterwards: 'dead',
  isStrict: false,
  reconcilesGaps: true,
};

/** What the file of a system says of changes there. */
export function retryPolicyOf({
  syncFailureHandler,
}: Pick<ProvisionerConfig, 'syncFailureHandler'>): RetryPolicy {
  if (syncFailureHandler === undefined) return USUAL_POLICY;
  const { maxRetries, postRetryAction, strictOrder, onGap } = syncFailureHandler;
  return {
    mostAttempts: maxRetries === undefined || maxRetries < 0 ? Number.POSITIVE_INFINITY : maxRetries + 1,
    afterwards:
      postRetryAction === undefined || postRetryAction === 'logged-ignore'
        ? 'ignore'
        : postRetryAction === 'dead-letter-queue'
          ? 'dead-letter'
          : parseScriptReference(postRetryAction.script, '/syncFailureHandler/postRetryAction/script'),
    isStrict: strictOrder,
    reconcilesGaps: onGap === 'reconcile',
  };
}
