export const HISTORY_LEVELS = ['none', 'instance', 'task', 'activity', 'audit', 'full'] as const;
export type HistoryLevel = (typeof HISTORY_LEVELS)[number];

/** Whether `level` keeps what is kept from `least` on. */
export function keeps(level: HistoryLevel, least: HistoryLevel): boolean {
  return HISTORY_LEVELS.indexOf(level) >= HISTORY_LEVELS.indexOf(least);
}
