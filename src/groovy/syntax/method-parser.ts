import { AnnotationParser } from './annotation-parser.ts';
import type { MethodDeclaration, TypeName } from './ast.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** Methods, and the modifiers in front of them and of everything else that is declared. */
export abstract class MethodParser extends AnnotationParser {
  protected readonly typeVariables = new Set<string>();
  /** A body of a class, where methods need no `def` before their names are seen. */
  protected isInClass = false;

  /** `<T, K extends V>` behind the name of a class or in front of a method. */
  protected declareTypeVariables(): void {
    if (!this.is('<')) return;
    const end = this.skipTypeArguments(this.index);
    if (end < 0) throw this.unexpected();
    let depth = 0;
    for (; this.index < end; this.index++) {
      const before = this.previous;
      if (this.is('<')) depth++;
      else if (this.is('>')) depth--;
      else if (
        depth === 1 &&
        this.token.kind === 'name' &&
        (isOperator(before, '<') || isOperator(before, ','))
      ) {
        this.typeVariables.add(this.token.text);
      }
    }
  }

  /** Behind annotations and modifiers, without moving on. */
  protected afterModifiers(): number {
    let at = this.index;
    for (;;) {
      const token = this.tokens[at]!;
      if (isOperator(token, '@') && this.tokens[at + 1]!.kind === 'name') {
        at += 2;
        while (isOperator(this.tokens[at]!, '.') && this.tokens[at + 1]!.kind === 'name') at += 2;
        const open = this.tokens[at]!;
        if (isOperator(open, '(') && !open.startsLine) at = (open.closedBy ?? at) + 1;
      } else if (token.kind === 'keyword' && this.isModifier(token.text)) at++;
      else if (this.#sealing(at) > 0) at += this.#sealing(at);
      else return at;
    }
  }

  /** How many tokens `sealed` or `non-sealed` has in front of a class; they are no keywords anywhere else. */
  #sealing(at: number): number {
    const count = this.tokens[at]!.text === 'non' && isOperator(this.tokens[at + 1]!, '-') ? 3 : 1;
    const { kind, text } = this.tokens[at + count - 1] ?? this.tokens[at]!;
    if (kind !== 'name' || text !== 'sealed') return 0;
    const next = this.tokens[at + count]!;
    return next.kind === 'keyword' && (/^(?:class|interface)$/.test(next.text) || MODIFIERS.has(next.text))
      ? count
      : 0;
  }

  /** `default` is one in interfaces, where it means nothing here. */
  protected isModifier(text: string): boolean {
    return MODIFIERS.has(text) || text === 'def' || (text === 'default' && this.isInClass);
  }

  protected override isMethodDeclaration(): boolean {
    let at = this.afterModifiers();
    const hasModifiers = at > this.index;
    if (isOperator(this.tokens[at]!, '<')) at = this.skipTypeArguments(at);
    if (at < 0) return false;
    const name = this.tokens[at]!;
    const isName = name.kind === 'name' || name.kind === 'string';
    if (hasModifiers && isName && isOperator(this.tokens[at + 1]!, '(')) return this.isMethodHead(at + 1);
    const end = this.skipType(at);
    if (end < 0 || (!hasModifiers && !this.looksLikeType(end))) return false;
    const second = this.tokens[end]!;
    if ((second.kind !== 'name' && second.kind !== 'string') || second.startsLine) return false;
    return isOperator(this.tokens[end + 1]!, '(') && this.isMethodHead(end + 1);
  }

  protected isMethodHead(open: number): boolean {
    const next = this.tokens[(this.tokens[open]!.closedBy ?? open) + 1]!;
    if (isOperator(next, '{') || (next.kind === 'keyword' && next.text === 'throws')) return true;
    return this.isInClass && !isOperator(next, '.');
  }

  protected override methodDeclaration(): MethodDeclaration {
    const { at } = this.token;
    const modifiers = this.modifiers();
    this.declareTypeVariables();
    const isUntyped =
      isOperator(this.peek(), '(') && (this.token.kind === 'name' || this.token.kind === 'string');
    const returns = isUntyped ? undefined : this.typeName();
    const { text } = this.take();
    return this.methodTail(text, modifiers, at, returns);
  }

  protected methodTail(
    name: string,
    modifiers: ReadonlySet<string>,
    at: number,
    returns: TypeName | undefined,
  ): MethodDeclaration {
    this.expect('(');
    const parameters = this.parameters(')');
    this.expect(')');
    if (this.takeKeywordIf('throws')) {
      do this.typeName();
      while (this.takeIf(','));
    }
    const isInClass = this.isInClass;
    this.isInClass = false;
    const body = this.is('{') ? { body: this.block() } : {};
    this.isInClass = isInClass;
    return {
      kind: 'method',
      name,
      parameters,
      ...(returns === undefined ? {} : { returns }),
      ...body,
      modifiers,
      at,
    };
  }

  protected modifiers(): Set<string> {
    const modifiers = this.annotations();
    for (;;) {
      const sealing = this.#sealing(this.index);
      if (sealing > 0) {
        this.index += sealing;
        if (sealing === 1) modifiers.add('sealed');
      } else if (this.token.kind === 'keyword' && this.isModifier(this.token.text)) {
        modifiers.add(this.take().text);
      } else return modifiers;
      for (const annotation of this.annotations()) modifiers.add(annotation);
    }
  }
}
