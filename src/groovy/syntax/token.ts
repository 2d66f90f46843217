/**
 * What the lexer sees. A text with `${}` is one `textStart`, then for each value its tokens and a `textPart`; the
 * last part has `isLast`.
 */
export type TokenKind =
  | 'name'
  | 'keyword'
  | 'number'
  | 'string'
  | 'textStart'
  | 'textPart'
  | 'operator'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The name, keyword, operator or number as written; for strings and text parts what they mean. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** A line ends before it, where line ends count. */
  readonly startsLine: boolean;
  /** A text part after which no value follows. */
  readonly isLast?: boolean;
  /** For `(`, `[` and `{`: the index of the token that closes it. */
  closedBy?: number;
}

/** Names that cannot be variables. They can still be members, labels and map keys. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'abstract as assert boolean break byte case catch char class const continue def default do double else enum ' +
    'extends false final finally float for goto if implements import in instanceof int interface long native new ' +
    'null package private protected public return short static strictfp super switch synchronized this ' +
    'throw throws transient true try void volatile while'
  ).split(' '),
);

export const PRIMITIVES: ReadonlySet<string> = new Set(
  'boolean byte char double float int long short void'.split(' '),
);

export const MODIFIERS: ReadonlySet<string> = new Set(
  'abstract final native private protected public static strictfp synchronized transient volatile'.split(' '),
);

/** Longest first. `>` is always alone, so that the parser can close two type argument lists with `>>`. */
export const OPERATORS: readonly string[] = (
  '<..< ... **= <<= ..< <.. <=> ==~ === !== ++ -- += -= *= /= %= &= |= ^= ?= == != <= && || ** .. ?. ?[ ?: *. ' +
  '.& .@ :: -> =~ << = < > + - * / % & | ^ ! ~ ? : ; , . ( ) [ ] { } @'
)
  .split(' ')
  .sort((left, right) => right.length - left.length);
