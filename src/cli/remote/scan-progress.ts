import type { Scan } from '#client/index.ts';

/**
 * A run in one line: `████████░░░░  67 %  670/1000  3 failed, 12 skipped  ends in 0:42  on a, b`.
 *
 * @param width characters of the bar
 * @param now epoch ms
 */
export function formatScan(run: Scan, width: number, now = Date.now()): string {
  const { state, processed, total, failures, skipped } = run.progress;
  const done = processed + skipped;
  const share = total === 0 ? (state === 'COMPLETED' ? 1 : 0) : Math.min(1, done / total);
  const full = Math.floor(share * width);
  const counts = [failures > 0 ? `${failures} failed` : '', skipped > 0 ? `${skipped} skipped` : ''].filter(
    (text) => text !== '',
  );
  return [
    `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)} %`,
    `${done}/${total}`,
    ...(counts.length > 0 ? [counts.join(', ')] : []),
    timing(run, now),
    ...(state === 'ACTIVE' && run.nodes.length > 0 ? [`on ${run.nodes.join(', ')}`] : []),
    run.name ?? run.object,
  ].join('  ');
}

function timing({ progress: { state }, started, ended, estimate }: Scan, now: number): string {
  if (state === 'ACTIVE') return estimate === '' ? 'running' : `ends in ${span(Date.parse(estimate) - now)}`;
  const word = state.toLowerCase();
  return ended === '' || started === ''
    ? word
    : `${word} after ${span(Date.parse(ended) - Date.parse(started))}`;
}

/** `0:07`, `12:00`, `3:05:00`. */
function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return parts[0] === 0 ? `${parts[1]}:${rest}` : `${Number(hours)}:${minutes}:${rest}`;
}
