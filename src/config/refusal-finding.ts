import { ActivationError, type Finding, ResourceError } from '#errors/index.ts';
import { parsePointer } from '#json/index.ts';
import { parseJsonDocument } from './json-document.ts';

/** What a part of the server has against a text that its schema took, where it says which member it means. */
export function refusalFindings(file: string, text: string, error: unknown): readonly Finding[] {
  const detail = (error instanceof ResourceError ? (error.detail ?? {}) : {}) as Record<string, unknown>;
  const { field, hint } = detail;
  const { line, column } = positionOf(text, typeof field === 'string' ? field : '');
  const where = `${file}:${line}:${column}`;
  if (error instanceof ActivationError) return error.findings.map((finding) => ({ ...finding, where }));
  return [
    {
      id: 'CONFIG_REFUSED',
      where,
      message: error instanceof Error ? error.message : String(error),
      ...(typeof hint === 'string' ? { hint } : {}),
    },
  ];
}

function positionOf(text: string, field: string) {
  const start = { line: 1, column: 1 };
  if (!field.startsWith('/')) return start;
  return parseJsonDocument(text).document?.positionOf(parsePointer(field)) ?? start;
}
