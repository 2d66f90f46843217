import { parseAnnotations } from './annotations.ts';
import type { Parsing } from './parsing.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** The place behind annotations and modifiers, without moving on. */
export function behindModifiers(p: Parsing): number {
  let at = p.index;
  for (;;) {
    const token = p.tokenAt(at);
    if (isOperator(token, '@') && p.tokenAt(at + 1).kind === 'name') {
      at += 2;
      while (isOperator(p.tokenAt(at), '.') && p.tokenAt(at + 1).kind === 'name') at += 2;
      const open = p.tokenAt(at);
      if (isOperator(open, '(') && !open.startsLine) at = (open.closedBy ?? at) + 1;
    } else if (token.kind === 'keyword' && isModifierWord(p, token.text)) at++;
    else if (sealingAt(p, at) > 0) at += sealingAt(p, at);
    else return at;
  }
}

/** How many tokens `sealed` or `non-sealed` has in front of a class; they are no keywords anywhere else. */
function sealingAt(p: Parsing, at: number): number {
  const count = p.tokenAt(at).text === 'non' && isOperator(p.tokenAt(at + 1), '-') ? 3 : 1;
  const { kind, text } = p.tokens[at + count - 1] ?? p.tokenAt(at);
  if (kind !== 'name' || text !== 'sealed') return 0;
  const next = p.tokenAt(at + count);
  return next.kind === 'keyword' && (/^(?:class|interface)$/.test(next.text) || MODIFIERS.has(next.text))
    ? count
    : 0;
}

/** `default` is one in interfaces, where it means nothing here. */
function isModifierWord(p: Parsing, text: string): boolean {
  return MODIFIERS.has(text) || text === 'def' || (text === 'default' && p.isInClass);
}

export function parseModifiers(p: Parsing): Set<string> {
  const modifiers = parseAnnotations(p);
  for (;;) {
    const sealing = sealingAt(p, p.index);
    if (sealing > 0) {
      p.index += sealing;
      if (sealing === 1) modifiers.add('sealed');
    } else if (p.token.kind === 'keyword' && isModifierWord(p, p.token.text)) {
      modifiers.add(p.take().text);
    } else return modifiers;
    for (const annotation of parseAnnotations(p)) modifiers.add(annotation);
  }
}
