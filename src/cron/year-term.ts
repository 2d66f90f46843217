/** Years `from`, `from + step`, … up to `to`, which may be Infinity. */
export interface YearTerm {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** The smallest year of the terms that is at least `year`; undefined when none is left. No terms: every year. */
export function nextYear(terms: readonly YearTerm[], year: number): number | undefined {
  if (terms.length === 0) return year;
  let best: number | undefined;
  for (const { from, to, step } of terms) {
    const candidate = year <= from ? from : from + Math.ceil((year - from) / step) * step;
    if (candidate <= to && (best === undefined || candidate < best)) best = candidate;
  }
  return best;
}
