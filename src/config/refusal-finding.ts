import { ActivationError, type Finding, ResourceError, wordsOf } from '#errors/index.ts';
import { isObject, parsePointer } from '#json/index.ts';
import { parseJsonDocument } from './json-document.ts';

/**
 * What a part of the server has against a text, where it says which member it means.
 *
 * @param isSaid of a member of which enough has been said
 */
export function refusalFindings(
  file: string,
  text: string,
  error: unknown,
  isSaid: (field: string) => boolean = () => false,
): readonly Finding[] {
  const given = error instanceof ResourceError ? error.detail : undefined;
  const detail: Mistake = isObject(given) ? given : {};
  const place = (field: unknown) => {
    const { line, column } = positionOf(text, typeof field === 'string' ? field : '');
    return `${file}:${line}:${column}`;
  };
  if (error instanceof ActivationError) {
    return error.findings.map(({ field, ...finding }) => ({ ...finding, where: place(field) }));
  }
  const message = wordsOf(error);
  const { mistakes: listed } = detail;
  const mistakes: readonly Mistake[] = Array.isArray(listed) ? listed.filter(isObject) : [detail];
  return mistakes
    .filter(({ field }) => typeof field !== 'string' || !isSaid(field))
    .map(({ message: said, field, hint }) => ({
      id: 'CONFIG_REFUSED',
      where: place(field),
      message: typeof said === 'string' ? said : message,
      ...(typeof hint === 'string' ? { hint } : {}),
    }));
}

/** What errors of the server say of one mistake. */
interface Mistake {
  readonly message?: unknown;
  readonly field?: unknown;
  readonly hint?: unknown;
  /** Where there are several: each of them. */
  readonly mistakes?: unknown;
}

function positionOf(text: string, field: string) {
  const start = { line: 1, column: 1 };
  if (!field.startsWith('/')) return start;
  return parseJsonDocument(text).document?.positionOf(parsePointer(field)) ?? start;
}
