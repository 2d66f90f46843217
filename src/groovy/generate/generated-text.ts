import type { SourceText } from '../syntax/source-text.ts';

/** A line of generated code and a column in it, both from 1, with the place in the Groovy source it stands for. */
interface Mark {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface GeneratedText {
  readonly javascript: string;
  /** The author's place for a place in the JavaScript. */
  positionOf(place: { line: number; column: number }): { line: number; column: number };
}

const OPEN = '\u0001';
const CLOSE = '\u0002';

/** Stands in generated text in front of what belongs to the offset; strings of the script cannot contain it. */
export function mark(offset: number): string {
  return `${OPEN}${offset}${CLOSE}`;
}

/** Takes the marks out of a text and remembers where they were. */
export function takeMarks(marked: string, source: SourceText): GeneratedText {
  const marks: Mark[] = [];
  let javascript = '';
  let line = 1;
  let lineStart = 0;
  let at = 0;
  for (;;) {
    const open = marked.indexOf(OPEN, at);
    const piece = marked.slice(at, open < 0 ? undefined : open);
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', end + 1)) {
      line++;
      lineStart = javascript.length + end + 1;
    }
    javascript += piece;
    if (open < 0) break;
    const close = marked.indexOf(CLOSE, open);
    const offset = Number(marked.slice(open + 1, close));
    marks.push({ line, column: javascript.length - lineStart + 1, offset });
    at = close + 1;
  }
  return {
    javascript,
    positionOf: ({ line, column }) => {
      const isBefore = (mark: Mark) => mark.line < line || (mark.line === line && mark.column <= column);
      const found = marks.findLast(isBefore) ?? marks[0];
      return source.positionAt(found?.offset ?? 0);
    },
  };
}
