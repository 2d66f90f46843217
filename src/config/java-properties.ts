// By hand: dot-properties takes an escape that is none for a letter.

/** A mistake in a properties text; lines and columns count from 1. */
export interface PropertiesProblem {
  readonly line: number;
  readonly message: string;
}

export interface ParsedProperties {
  readonly entries: ReadonlyMap<string, string>;
  readonly problems: readonly PropertiesProblem[];
}

/**
 * Reads the syntax of `java.util.Properties.load`: comments with `#` and `!`, a key that ends at the first
 * bare `=`, `:` or blank, lines continued by a backslash, and the escapes `\t \n \r \f \uXXXX`. The last of
 * two equal keys wins.
 */
export function parseJavaProperties(text: string): ParsedProperties {
  const entries = new Map<string, string>();
  const problems: PropertiesProblem[] = [];
  for (const { content, line } of logicalLines(text)) {
    const keyEnd = endOfKey(content);
    const separator = /^[ \t\f]*[=:]?[ \t\f]*/.exec(content.slice(keyEnd))?.[0] ?? '';
    const key = withoutEscapes(content.slice(0, keyEnd));
    const value = withoutEscapes(content.slice(keyEnd + separator.length));
    if (key === undefined || value === undefined) {
      problems.push({ line, message: "'\\u' must be followed by four hexadecimal digits" });
    } else {
      entries.set(key, value);
    }
  }
  return { entries, problems };
}

function* logicalLines(text: string): Generator<{ content: string; line: number }> {
  let content: string | undefined;
  let line = 0;
  for (const [index, natural] of text.split(/\r\n|\r|\n/).entries()) {
    const trimmed = natural.replace(/^[ \t\f]+/, '');
    if (content === undefined || content === '') {
      if (content === undefined && (trimmed === '' || /^[#!]/.test(trimmed))) continue;
      content = '';
      line = index + 1;
    }
    const continued = (/\\*$/.exec(trimmed)?.[0].length ?? 0) % 2 === 1;
    content += continued ? trimmed.slice(0, -1) : trimmed;
    if (continued) continue;
    if (content !== '') yield { content, line };
    content = undefined;
  }
  if (content !== undefined && content !== '') yield { content, line };
}

function endOfKey(content: string): number {
  for (let at = 0; at < content.length; at++) {
    if (content[at] === '\\') at++;
    else if (/[=: \t\f]/.test(content[at] ?? '')) return at;
  }
  return content.length;
}

const CONTROL_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/** Undefined when a unicode escape is malformed. */
function withoutEscapes(raw: string): string | undefined {
  let malformed = false;
  const text = raw.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex?: string, letter?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (letter === 'u') malformed = true;
    return CONTROL_ESCAPES[letter ?? ''] ?? letter ?? '';
  });
  return malformed ? undefined : text;
}
