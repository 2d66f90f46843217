import { ActivationError, type Finding, ResourceError, wordsOf } from '#errors/index.ts';
import { isObject, parsePointer } from '#json/index.ts';
import { type JsonDocument, parseJsonDocument } from './json-document.ts';

/** Where a member stands, by its pointer: `conf/managed.json:3:7`. */
export type Locate = (field: string) => string;

export function locator(file: string, text: string): Locate {
  let document: JsonDocument | undefined;
  return (field) => {
    document ??= parseJsonDocument(text).document;
    const { line, column } = document?.positionOf(parsePointer(field)) ?? { line: 1, column: 1 };
    return `${file}:${line}:${column}`;
  };
}

/**
 * What a part of the server has against a text, where it says which member it means.
 *
 * @param isSaid of a member of which enough has been said
 */
export function refusalFindings(
  locate: Locate,
  error: unknown,
  isSaid: (field: string) => boolean = () => false,
): readonly Finding[] {
  const given = error instanceof ResourceError ? error.detail : undefined;
  const detail: Mistake = isObject(given) ? given : {};
  const place = (field: unknown) => locate(typeof field === 'string' && field.startsWith('/') ? field : '');
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
