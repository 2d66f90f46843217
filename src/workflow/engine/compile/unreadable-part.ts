import { PREFIXES } from './descriptor.ts';
import type { Findings } from './findings.ts';

/** Extensions that would change what the process does; the others only describe. */
const EFFECTIVE = ['eventListener', 'collection', 'inputOutput', 'connector', 'formData'];

const UNKNOWN_EXTENSION = new RegExp(`unknown type <(?:${PREFIXES.join('|')}):([\\w.-]+)>`);

/**
 * Reports what the parser has dropped because it could not read it. Where that may be a part of what the
 * process does, the file is refused. Findings name the nearest element around it.
 */
export function reportUnreadable(message: string, xml: string, findings: Findings): void {
  if (!message.startsWith('unparsable content')) return;
  const part = /<\/?([^\s/>]*)/.exec(message)?.[1] ?? '';
  const [, line = '0', column = '0'] = /line: (\d+)\s+column: (\d+)/.exec(message) ?? [];
  const at = offsetOf(xml, Number(line), Number(column));
  const around = elementAround(xml, at) ?? part;
  const reason = /nested error: (.*)/.exec(message)?.[1]?.split('\n')[0] ?? 'unreadable';
  const extension = UNKNOWN_EXTENSION.exec(reason)?.[1];
  if (extension === undefined) {
    const own = idIn(/^<[^>]*>/.exec(xml.slice(at, at + 1000))?.[0] ?? '');
    findings.refuse(
      'UNREADABLE_ELEMENT',
      own ?? around,
      `has a part '${part}' that cannot be read: ${reason}`,
    );
  } else if (EFFECTIVE.some((name) => name.toLowerCase() === extension.toLowerCase())) {
    findings.refuse('UNSUPPORTED_EXTENSION', around, `has the extension '${part}', which is not supported`);
  } else {
    findings.warn('IGNORED_EXTENSION', around, `has the extension '${part}', which is ignored`);
  }
}

/** The offset of a line and a column, both from 0. */
function offsetOf(xml: string, line: number, column: number): number {
  let start = 0;
  for (let row = 0; row < line; row++) start = xml.indexOf('\n', start) + 1;
  return start + column;
}

const TAGS = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<([^!?](?:"[^"]*"|'[^']*'|[^"'>])*)>/g;

/** The id of the innermost element with one that is open there. */
function elementAround(xml: string, at: number): string | undefined {
  const open: (string | undefined)[] = [];
  for (const [tag, inner] of xml.slice(0, at).matchAll(TAGS)) {
    if (inner === undefined || tag.endsWith('/>')) continue;
    if (tag.startsWith('</')) open.pop();
    else open.push(idIn(tag));
  }
  return open.findLast((id) => id !== undefined);
}

function idIn(tag: string): string | undefined {
  const [, double, single] = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(tag) ?? [];
  return double ?? single;
}
