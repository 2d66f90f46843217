import type { Finding } from '#errors/index.ts';

/** How many findings of one text are told: each takes time to make, and nobody mends more at once. */
export const MOST_FINDINGS = 100;

/** The first of them, and that there are more. */
export function mostFindings(file: string, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const more = {
    id: 'CONFIG_MORE_FINDINGS',
    where: `${file}:1:1`,
    message: `more is wrong than these ${MOST_FINDINGS}`,
    hint: 'Mend these first, and look again',
  };
  return [...findings.slice(0, MOST_FINDINGS).filter(({ id }) => id !== more.id), more];
}
