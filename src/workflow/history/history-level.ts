import { HISTORY_LEVELS, type HistoryLevel } from '#config/index.ts';

/** Whether `level` keeps what is kept from `least` on. */
export function keeps(level: HistoryLevel, least: HistoryLevel): boolean {
  return HISTORY_LEVELS.indexOf(level) >= HISTORY_LEVELS.indexOf(least);
}
