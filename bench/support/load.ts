import { type Child, startChild } from './child.ts';

/** In a body: another number of as many digits with each request, none of them twice. */
export const NUMBER = '#'.repeat(10);

/** What one round of requests is. Each request takes one of the paths at random. */
export interface LoadTask {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each sends its next request when it has the answer to the last. */
  readonly connections: number;
  readonly ms: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type LoadGenerator = Child<LoadTask, LoadResult>;

/** A process that sends requests; answers other than 2xx fail the round. */
export function startLoadGenerator(): Promise<LoadGenerator> {
  return startChild('./load-generator.ts');
}
