import { GroovySyntaxError } from '../groovy-syntax-error.ts';

/** A script's text with the places of its lines. Lines and columns count from 1. */
export class SourceText {
  readonly name: string;
  readonly text: string;
  readonly #lineStarts: number[] = [0];

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
  }

  positionAt(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#lineStarts[low]! + 1 };
  }

  errorAt(offset: number, problem: string, hint?: string): GroovySyntaxError {
    const { line, column } = this.positionAt(Math.min(offset, this.text.length));
    return new GroovySyntaxError(problem, { fileName: this.name, line, column }, hint);
  }
}
