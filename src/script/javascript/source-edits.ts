// Written by hand: a place is told when an error asks for it, where magic-string would make a map of the text for each script.

interface Insertion {
  readonly at: number;
  readonly text: string;
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A 1-based place in a text; columns count UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Changes to a source that keep its lines: insertions without line ends, so that a place in the changed text can
 * be told in the original's columns. Insertions at the same offset stay in the order in which they were asked for.
 */
export class SourceEdits {
  readonly #source: string;
  readonly #insertions: Insertion[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  insert(at: number, text: string): void {
    this.#insertions.push({ at, text });
  }

  /** The changed text; replacements serve a variant of it and do not count for positions. */
  apply(replacements: readonly Replacement[] = []): string {
    const changes = [
      ...this.#sorted().map(({ at, text }) => ({ from: at, to: at, text })),
      ...replacements,
    ].sort((left, right) => left.from - right.from);
    let result = '';
    let position = 0;
    for (const { from, to, text } of changes) {
      result += this.#source.slice(position, from) + text;
      position = to;
    }
    return result + this.#source.slice(position);
  }

  toOriginal(changed: TextPosition): TextPosition {
    const lineStart = startOfLine(this.#source, changed.line);
    const lineEnd = this.#source.indexOf('\n', lineStart);
    let shift = 0;
    for (const { at, text } of this.#sorted()) {
      if (at < lineStart || (lineEnd >= 0 && at > lineEnd)) continue;
      const inserted = at - lineStart + shift;
      if (changed.column - 1 <= inserted) break;
      shift += Math.min(text.length, changed.column - 1 - inserted);
    }
    return { line: changed.line, column: changed.column - shift };
  }

  #sorted(): Insertion[] {
    return this.#insertions.toSorted((left, right) => left.at - right.at);
  }
}

function startOfLine(source: string, line: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const end = source.indexOf('\n', start);
    if (end < 0) return source.length;
    start = end + 1;
  }
  return start;
}
