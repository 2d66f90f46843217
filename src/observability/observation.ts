import { DOOR } from './catalogue/door.ts';
import type { Row } from './catalogue/row.ts';
import { SERVER } from './catalogue/server.ts';
import { WORK } from './catalogue/work.ts';
import { WORKFLOW } from './catalogue/workflow.ts';

/**
 * Everything the server has to say. Code observes; the sinks read off the rows of `catalogue/` what becomes a log line, a
 * metric or both.
 */
const CATALOGUE = { ...SERVER, ...DOOR, ...WORK, ...WORKFLOW };

type Catalogue = typeof CATALOGUE;
export type ObservationKind = keyof Catalogue;
type Facts<Kind extends ObservationKind> = Catalogue[Kind] extends Row<infer T> ? T : never;

export type Observation = {
  [Kind in ObservationKind]: { readonly kind: Kind } & Facts<Kind>;
}[ObservationKind];

/** Says something. Never throws and never waits. */
export type Observe = (observation: Observation) => void;

export function rowOf(observation: Observation): Row<Observation> {
  return CATALOGUE[observation.kind] as Row<Observation>;
}

/** Whether it becomes a line of the log from `info` on. */
export function isLogged(observation: Observation): boolean {
  const { level } = rowOf(observation);
  const at = typeof level === 'string' ? level : level(observation);
  return at !== 'trace' && at !== 'debug';
}

/** One observer that tells all sinks. */
export function observeAll(...sinks: readonly Observe[]): Observe {
  return (observation) => {
    for (const sink of sinks) sink(observation);
  };
}
