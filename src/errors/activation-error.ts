/** A mistake that keeps the server, or one part of it, from starting. */
export interface Finding {
  readonly id: string;
  /** Where it stands, such as `conf/script.json:1:1`; empty when it stands in no file. */
  readonly where: string;
  /** JSON pointer of the member that is meant, for who knows the text that it stands in. */
  readonly field?: string;
  readonly message: string;
  readonly hint?: string;
}

/** All findings at once, so that the operator mends them in one go. */
export class ActivationError extends Error {
  override readonly name = 'ActivationError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(findings.map(formatFinding).join('\n'));
    this.findings = findings;
  }
}

export function formatFinding(finding: Finding): string {
  const where = finding.where === '' ? '' : `${finding.where}  `;
  const hint = finding.hint === undefined ? '' : ` — ${finding.hint}`;
  return `${where}${finding.message}${hint}  [${finding.id}]`;
}
