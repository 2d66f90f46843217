import { ExpressionError } from './expression-error.ts';

export type Token =
  | { readonly kind: 'number'; readonly at: number; readonly value: number }
  | { readonly kind: 'string'; readonly at: number; readonly value: string }
  | { readonly kind: 'name'; readonly at: number; readonly value: string }
  | { readonly kind: 'sign'; readonly at: number; readonly value: string };

/** Words that are operators; the value is the sign they stand for. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['div', '/'],
  ['mod', '%'],
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['gt', '>'],
  ['le', '<='],
  ['ge', '>='],
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['empty', 'empty'],
]);

const PATTERN = {
  space: /\s*/y,
  number: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
  name: /[\p{L}_$][\p{L}\p{N}_$]*/uy,
  sign: /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]}]/y,
};

/**
 * Reads the tokens of one `${…}` from the offset after the brace up to and with the closing brace.
 *
 * @returns the tokens, the last one being the brace
 */
export function readTokens(text: string, from: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += take(PATTERN.space)?.length ?? 0;
    if (at >= text.length) throw new ExpressionError(text, from, 'has no closing brace');
    const start = at;
    const character = text[at];
    if (character === "'" || character === '"') {
      const [value, end] = readString(text, at);
      tokens.push({ kind: 'string', at: start, value });
      at = end;
      continue;
    }
    const number = take(PATTERN.number);
    if (number !== undefined) {
      tokens.push({ kind: 'number', at: start, value: Number(number) });
      at += number.length;
      continue;
    }
    const name = take(PATTERN.name);
    if (name !== undefined) {
      tokens.push({ kind: 'name', at: start, value: name });
      at += name.length;
      continue;
    }
    const sign = take(PATTERN.sign);
    if (sign === undefined) throw new ExpressionError(text, at, `has an unexpected '${character}'`);
    tokens.push({ kind: 'sign', at: start, value: sign });
    at += sign.length;
    if (sign === '}') return tokens;
  }
}

/** The operator that a token stands for, also when it is written as a word. */
export function operatorOf(token: Token | undefined): string | undefined {
  if (token?.kind === 'sign') return token.value;
  return token?.kind === 'name' ? WORDS.get(token.value) : undefined;
}

function readString(text: string, from: number): [value: string, end: number] {
  const quote = text[from];
  let value = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === quote) return [value, at + 1];
    if (character === '\\') {
      const escaped = text[++at];
      if (escaped !== '\\' && escaped !== "'" && escaped !== '"') {
        throw new ExpressionError(text, at - 1, 'has a backslash before something other than a quote');
      }
      value += escaped;
    } else {
      value += character;
    }
  }
  throw new ExpressionError(text, from, 'has a text without a closing quote');
}
