import { BadRequestError } from '#errors/index.ts';
import type { Finding } from '../definition.ts';

/** A process file that is refused; all reasons at once, each naming its element. */
export class ProcessFileError extends BadRequestError {
  override readonly name = 'ProcessFileError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    const listed = findings.map(({ element, message }) => `'${element}' ${message}`).join('; ');
    super(`The process file cannot be deployed: ${listed}`, {
      id: 'WORKFLOW_REFUSED',
      detail: { findings: findings.map((finding) => ({ ...finding })) },
    });
    this.findings = findings;
  }
}
