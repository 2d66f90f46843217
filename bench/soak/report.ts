import type { Check, Finding } from './check/check.ts';
import { formatFindings } from './check/check.ts';
import type { Growth } from './gauges.ts';
import type { Journal } from './journal.ts';
import type { SoakNode } from './node.ts';
import type { Aftermath } from './recovery.ts';

export interface Lateness {
  readonly aftermath: Aftermath;
  readonly lateMs: number | null;
}

/** One line for each kind of fault: how often, and how long it was felt. */
export function formatFaults(lateness: readonly Lateness[]): string {
  const kinds = Map.groupBy(lateness, ({ aftermath }) => aftermath.fault.name);
  const rows = [...kinds].map(([name, ones]) => {
    const { what, boundMs } = ones[0]!.aftermath.fault;
    const late = ones.map(({ lateMs }) => lateMs).filter((ms) => ms !== null);
    const answering = ones.map(({ aftermath }) => aftermath.answeringMs).filter((ms) => ms !== null);
    return [name, String(ones.length), spread(late), String(boundMs), spread(answering), what];
  });
  return formatTable(
    ['fault', 'n', 'latest firing, ms', 'bound', 'all nodes answer, ms', 'what'],
    rows.toSorted(([a], [b]) => a!.localeCompare(b!)),
  );
}

/** What was asked, by kind and answer. */
export function formatDeeds(
  deeds: readonly { deed: string; outcome: string; count: number; p50: number; max: number }[],
): string {
  const rows = [...Map.groupBy(deeds, ({ deed }) => deed)].map(([deed, ones]) => {
    const of = (outcome: string) => String(ones.find((one) => one.outcome === outcome)?.count ?? 0);
    const done = ones.find(({ outcome }) => outcome === 'done');
    const ms = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(0));
    return [deed, of('done'), of('refused'), of('unknown'), ms(done?.p50), ms(done?.max)];
  });
  return formatTable(['asked', 'done', 'refused', 'no certain answer', 'done after ms, p50', 'most'], rows);
}

/** Each promise, how much was looked at, and how often it was broken. */
export function formatChecks(
  checks: readonly Check[],
  counts: ReadonlyMap<string, number>,
  findings: readonly Finding[],
): string {
  const broken = (name: string) => String(findings.find(({ check }) => check === name)?.rows.length ?? 0);
  return formatTable(
    ['check', 'looked at', 'broken', 'promise'],
    checks.map(({ name, promise }) => [name, String(counts.get(name) ?? 0), broken(name), promise]),
  );
}

export function formatLoad(journal: Journal, nodes: readonly SoakNode[]): string {
  const statuses = [...journal.statuses].toSorted(([, a], [, b]) => b - a);
  const said = nodes.flatMap(({ name, said: kinds }) =>
    [...kinds].map(([kind, n]) => `${name} ${kind} ${n}`),
  );
  return [
    `answers: ${statuses.map(([status, n]) => `${status}: ${n}`).join(', ')}`,
    `said: ${said.join(', ')}`,
  ].join('\n');
}

export function formatGrowth(growth: readonly Growth[]): string {
  if (growth.length === 0) return 'no process lived long enough for its memory to be judged';
  const mib = (value: number | null) => (value === null ? '–' : value.toFixed(0));
  return formatTable(
    ['node', 'minutes', 'RSS from, MiB', 'to', 'heap from, MiB', 'to'],
    growth.map((one) => [
      one.node,
      one.minutes.toFixed(1),
      mib(one.rssFromMib),
      mib(one.rssToMib),
      mib(one.heapFromMib),
      mib(one.heapToMib),
    ]),
  );
}

export function formatVerdict(findings: readonly Finding[]): string {
  return findings.length === 0 ? 'Every promise was kept.' : formatFindings(findings);
}

function spread(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  return sorted.length === 1
    ? median.toFixed(0)
    : `${median.toFixed(0)} (up to ${sorted.at(-1)!.toFixed(0)})`;
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
