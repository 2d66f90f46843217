import { ActivationError, type Finding, ResourceError, wordsOf } from '#errors/index.ts';
import { parsePointer } from '#json/index.ts';
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
  const detail = (error instanceof ResourceError ? (error.detail ?? {}) : {}) as Mistake & {
    mistakes?: readonly Mistake[];
  };
  const place = (field: unknown) => {
    const { line, column } = positionOf(text, typeof field === 'string' ? field : '');
    return `${file}:${line}:${column}`;
  };
  if (error instanceof ActivationError) {
    return error.findings.map(({ field, ...finding }) => ({ ...finding, where: place(field) }));
  }
  const message = wordsOf(error);
  const mistakes = detail.mistakes ?? [{ message, ...detail }];
  return mistakes
    .filter(({ field }) => typeof field !== 'string' || !isSaid(field))
    .map(({ message: said, field, hint }) => ({
      id: 'CONFIG_REFUSED',
      where: place(field),
      message: said ?? message,
      ...(typeof hint === 'string' ? { hint } : {}),
    }));
}

/** What errors of the server say of one mistake. */
interface Mistake {
  readonly message?: string;
  readonly field?: unknown;
  readonly hint?: unknown;
}

function positionOf(text: string, field: string) {
  const start = { line: 1, column: 1 };
  if (!field.startsWith('/')) return start;
  return parseJsonDocument(text).document?.positionOf(parsePointer(field)) ?? start;
}
