/** Both count from 1; columns are UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where the lines of a text begin: looked for once, so that each of many places costs little. */
export class TextLines {
  readonly #text: string;
  #found: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#startOf(low) + 1 };
  }

  /** Infinite behind the last line. */
  offsetAt({ line, column }: Position): number {
    return this.#startOf(line - 1) + column - 1;
  }

  get #starts(): readonly number[] {
    this.#found ??= [0, ...startsIn(this.#text)];
    return this.#found;
  }

  #startOf(index: number): number {
    return this.#starts[index] ?? Number.POSITIVE_INFINITY;
  }
}

function* startsIn(text: string): Iterable<number> {
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) yield index + end.length;
}
