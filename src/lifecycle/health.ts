/** One part of readiness: what it is, whether it is well, and what to know about it. */
export interface HealthPart {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

/** A loop is well while it beats. @param beatAt milliseconds of the process's own clock, 0 for never */
export function beatHealth(name: string, beatAt: number, limitMs: number): HealthPart {
  if (beatAt === 0) return { name, ok: false, detail: 'has not beaten yet' };
  const age = performance.now() - beatAt;
  return { name, ok: age < limitMs, detail: `beat ${Math.round(age)} ms ago` };
}
