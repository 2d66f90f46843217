import { getAt, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import type { Operation } from './operation.ts';

/** The most bytes of all that an export reads, and of one object of it. An answer may be twice as large. */
export const MOST_EXPORT_BYTES = 2 ** 25;
export const MOST_LINE_BYTES = 2 ** 17;

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** An export as one text, as its format says: an object to the line, or a row of values below the names of the fields (RFC 4180). */
export function exportFile(
  { format, fields }: Pick<Operation, 'format' | 'fields'>,
  lines: readonly JsonObject[],
): string {
  if (format === 'jsonl') return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const pointers = fields.map((field) => parsePointer(field));
  const rows = lines.map((line) => pointers.map((pointer) => cell(getAt(line, pointer) ?? null)));
  return [fields.map(cell), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function cell(value: JsonValue): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
