import type { JsonObject } from '#client/index.ts';

/** What a line says in its own place. */
const SHOWN = new Set(['_id', 'time', 'level', 'msg', 'node', 'kind']);

/** A line as the log of a node on a terminal has it, with the time of this machine. */
export function logLine(line: JsonObject): string {
  const facts = Object.entries(line).flatMap(([name, value]) =>
    SHOWN.has(name) ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
  const at = new Date(String(line['time']));
  const time = `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, '0')}`;
  return [time, String(line['level']).toUpperCase().padEnd(5), line['msg'], ...facts].join(' ');
}
