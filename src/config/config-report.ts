import { type Finding, formatFinding } from '#errors/index.ts';

/** What the configuration has to say while the server runs. It has the shape of observations. */
export type ConfigReport =
  /** A change took effect. */
  | { readonly kind: 'config.changed'; readonly id: string; readonly change: 'added' | 'changed' | 'removed' }
  /** A file has errors; what was in force stays. Said once per content. */
  | { readonly kind: 'config.refused'; readonly id: string; readonly findings: readonly string[] }
  /** Someone should look: references without a value, a file that looks misnamed. */
  | { readonly kind: 'config.warned'; readonly message: string; readonly finding?: Finding }
  /** Only for debugging. */
  | { readonly kind: 'config.note'; readonly message: string };

export type Report = (report: ConfigReport) => void;

export function warn(report: Report, finding: Finding): void {
  report({ kind: 'config.warned', message: formatFinding(finding), finding });
}
