import { AnnotationParser } from './annotation-parser.ts';
import type {
  Argument,
  ClassDeclaration,
  EnumConstant,
  FieldDeclaration,
  Import,
  MethodDeclaration,
  Script,
  Statement,
  TypeName,
} from './ast.ts';
import { type ClassAnnotations, membersFor } from './class-annotations.ts';
import { completed, rebased } from './class-members.ts';
import { tokenize } from './lexer.ts';
import { SourceText } from './source-text.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

const CLASS_WORDS = new Set(['class', 'interface', 'enum']);
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  trait: 'Use a class or an interface.',
  record: 'Use a class with properties.',
};

/** @throws GroovySyntaxError */
export function parseGroovy(source: SourceText): Script {
  return new Parser(source, tokenize(source)).script();
}

class Parser extends AnnotationParser {
  /** The texts of members that annotations stand for. */
  #added = '';
  readonly #typeVariables = new Set<string>();
  #className = '';
  /** A body of a class, where methods need no `def` before their names are seen. */
  #isInClass = false;

  script(): Script {
    const imports: Import[] = [];
    const body: Statement[] = [];
    this.#skipPackage();
    for (;;) {
      while (this.takeIf(';'));
      if (this.isAtEnd) return { imports, typeVariables: this.#typeVariables, body, added: this.#added };
      if (this.isKeyword('import') || this.#isAnnotatedImport()) imports.push(this.#import());
      else {
        body.push(this.statement());
        const ended = this.is(';') || this.token.startsLine || this.isAtEnd;
        if (!ended && !isOperator(this.previous, '}') && !isOperator(this.previous, ';'))
          throw this.unexpected();
      }
    }
  }

  /** `<T, K extends V>` behind the name of a class or in front of a method. */
  #declareTypeVariables(): void {
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
        this.#typeVariables.add(this.token.text);
      }
    }
  }

  #skipPackage(): void {
    if (!this.takeKeywordIf('package')) return;
    this.expectName();
    while (this.takeIf('.')) this.expectName();
  }

  #isAnnotatedImport(): boolean {
    if (!this.is('@')) return false;
    const from = this.index;
    this.annotations();
    if (this.isKeyword('import')) return true;
    this.index = from;
    return false;
  }

  #import(): Import {
    const { at } = this.take();
    const isStatic = this.takeKeywordIf('static');
    let name = this.expectName().text;
    while (this.takeIf('.')) {
      if (this.takeIf('*')) return { name, isStatic, isStar: true, at };
      if (this.token.kind !== 'name' && this.token.kind !== 'keyword') throw this.unexpected();
      name += `.${this.take().text}`;
    }
    const alias = this.takeKeywordIf('as') ? { alias: this.expectName().text } : {};
    return { name, ...alias, isStatic, isStar: false, at };
  }

  /** Behind annotations and modifiers, without moving on. */
  #afterModifiers(): number {
    let at = this.index;
    for (;;) {
      const token = this.tokens[at]!;
      if (isOperator(token, '@') && this.tokens[at + 1]!.kind === 'name') {
        at += 2;
        while (isOperator(this.tokens[at]!, '.') && this.tokens[at + 1]!.kind === 'name') at += 2;
        const open = this.tokens[at]!;
        if (isOperator(open, '(') && !open.startsLine) at = (open.closedBy ?? at) + 1;
      } else if (token.kind === 'keyword' && this.#isModifier(token.text)) at++;
      else return at;
    }
  }

  /** `default` is one in interfaces, where it means nothing here. */
  #isModifier(text: string): boolean {
    return MODIFIERS.has(text) || text === 'def' || (text === 'default' && this.#isInClass);
  }

  protected override isClassDeclaration(): boolean {
    const at = this.#afterModifiers();
    const { kind, text } = this.tokens[at]!;
    const next = this.tokens[at + 1]!;
    if (kind === 'keyword' && CLASS_WORDS.has(text)) return true;
    if (isOperator(this.tokens[at]!, '@') && next.text === 'interface') {
      throw this.source.errorAt(this.tokens[at]!.at, 'Annotations cannot be declared here');
    }
    if (kind === 'name' && text === 'sealed' && (CLASS_WORDS.has(next.text) || next.text === 'abstract')) {
      throw this.source.errorAt(
        this.tokens[at]!.at,
        'A sealed class cannot be declared here',
        "Leave out 'sealed' and 'permits'.",
      );
    }
    const hint =
      kind === 'name' && next.kind === 'name' && !next.startsLine ? REFUSED_WORDS[text] : undefined;
    if (hint !== undefined && Object.hasOwn(REFUSED_WORDS, text) && this.#opensBody(at + 2)) {
      throw this.source.errorAt(this.tokens[at]!.at, `A ${text} cannot be declared here`, hint);
    }
    return false;
  }

  #opensBody(from: number): boolean {
    const token = this.tokens[from]!;
    return (
      isOperator(token, '{') || isOperator(token, '(') || token.kind === 'keyword' || token.text === 'permits'
    );
  }

  protected override isMethodDeclaration(): boolean {
    let at = this.#afterModifiers();
    const hasModifiers = at > this.index;
    if (isOperator(this.tokens[at]!, '<')) at = this.skipTypeArguments(at);
    if (at < 0) return false;
    const name = this.tokens[at]!;
    const isName = name.kind === 'name' || name.kind === 'string';
    if (hasModifiers && isName && isOperator(this.tokens[at + 1]!, '(')) return this.#isMethodHead(at + 1);
    const end = this.skipType(at);
    if (end < 0 || (!hasModifiers && !this.looksLikeType(end))) return false;
    const second = this.tokens[end]!;
    if ((second.kind !== 'name' && second.kind !== 'string') || second.startsLine) return false;
    return isOperator(this.tokens[end + 1]!, '(') && this.#isMethodHead(end + 1);
  }

  #isMethodHead(open: number): boolean {
    const next = this.tokens[(this.tokens[open]!.closedBy ?? open) + 1]!;
    if (isOperator(next, '{') || (next.kind === 'keyword' && next.text === 'throws')) return true;
    return this.#isInClass && !isOperator(next, '.');
  }

  protected override methodDeclaration(): MethodDeclaration {
    const { at } = this.token;
    const modifiers = this.#modifiers();
    this.#declareTypeVariables();
    const isUntyped =
      isOperator(this.peek(), '(') && (this.token.kind === 'name' || this.token.kind === 'string');
    const returns = isUntyped ? undefined : this.typeName();
    const { text } = this.take();
    return this.#methodTail(text, modifiers, at, returns);
  }

  #methodTail(
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
    const isInClass = this.#isInClass;
    this.#isInClass = false;
    const body = this.is('{') ? { body: this.block() } : {};
    this.#isInClass = isInClass;
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

  #modifiers(): Set<string> {
    const modifiers = this.annotations();
    while (this.token.kind === 'keyword' && this.#isModifier(this.token.text)) {
      modifiers.add(this.take().text);
      for (const annotation of this.annotations()) modifiers.add(annotation);
    }
    return modifiers;
  }

  protected override classDeclaration(): ClassDeclaration {
    this.classAnnotations.clear();
    const modifiers = this.#modifiers();
    const annotations = new Map(this.classAnnotations);
    const form = this.take().text as ClassDeclaration['form'];
    const { text: name, at } = this.expectName();
    this.#declareTypeVariables();
    let parent: TypeName | undefined;
    const interfaces: TypeName[] = [];
    if (this.takeKeywordIf('extends')) {
      if (form === 'interface') {
        do interfaces.push(this.typeName());
        while (this.takeIf(','));
      } else parent = this.typeName();
    }
    if (this.takeKeywordIf('implements')) {
      do interfaces.push(this.typeName());
      while (this.takeIf(','));
    }
    const body = this.nested(() => this.classBody(name, at, form));
    const declared = { ...body, modifiers, ...(parent === undefined ? {} : { parent }), interfaces };
    return annotations.size === 0 ? declared : this.#annotated(declared, annotations);
  }

  /** With the members that its annotations stand for. */
  #annotated(node: ClassDeclaration, annotations: ClassAnnotations): ClassDeclaration {
    const label = this.#className === '' ? node.name : `${this.#className}$${node.name}`;
    const text = membersFor(node, label, annotations);
    this.#added += text;
    const source = new SourceText(this.source.name, `class ${node.name} {\n${text}\n}`);
    const [made] = new Parser(source, tokenize(source)).script().body;
    return completed(node, rebased(made as ClassDeclaration, node.at), annotations.has('Immutable'));
  }

  protected override classBody(
    name: string,
    at: number,
    form: ClassDeclaration['form'] = 'class',
  ): ClassDeclaration {
    const outer = { name: this.#className, isInClass: this.#isInClass };
    this.#className = name;
    this.#isInClass = true;
    this.expect('{');
    const members = {
      constants: form === 'enum' ? this.#enumConstants() : [],
      fields: [] as FieldDeclaration[],
      methods: [] as MethodDeclaration[],
      classes: [] as ClassDeclaration[],
      initializers: [] as { isStatic: boolean; body: readonly Statement[] }[],
    };
    for (;;) {
      while (this.takeIf(';'));
      if (this.is('}')) break;
      if (this.isAtEnd) throw this.unexpected("The '}' of the class is missing.");
      this.#member(members);
    }
    this.take();
    this.#className = outer.name;
    this.#isInClass = outer.isInClass;
    return { kind: 'class', form, name, modifiers: new Set(), interfaces: [], ...members, at };
  }

  #member(members: {
    fields: FieldDeclaration[];
    methods: MethodDeclaration[];
    classes: ClassDeclaration[];
    initializers: { isStatic: boolean; body: readonly Statement[] }[];
  }): void {
    const { at } = this.token;
    if (this.isClassDeclaration()) {
      members.classes.push(this.classDeclaration());
      return;
    }
    const isStatic = this.isKeyword('static') && isOperator(this.peek(), '{');
    if (isStatic) this.take();
    if (this.is('{')) {
      const isInClass = this.#isInClass;
      this.#isInClass = false;
      members.initializers.push({ isStatic, body: this.block() });
      this.#isInClass = isInClass;
      return;
    }
    const afterModifiers = this.#afterModifiers();
    const head = this.tokens[afterModifiers]!;
    if (head.text === this.#className && isOperator(this.tokens[afterModifiers + 1]!, '(')) {
      const modifiers = this.#modifiers();
      this.take();
      members.methods.push(this.#methodTail('<init>', modifiers, at, undefined));
      return;
    }
    if (this.isMethodDeclaration()) {
      members.methods.push(this.methodDeclaration());
      return;
    }
    this.#fields(members.fields);
  }

  #fields(fields: FieldDeclaration[]): void {
    const modifiers = this.#modifiers();
    const end = this.skipType(this.index);
    const next = end < 0 ? undefined : this.tokens[end]!;
    const hasType = next?.kind === 'name' && !next.startsLine;
    if (!hasType && modifiers.size === 0) throw this.unexpected('A property or method is missing.');
    const type = hasType ? { type: this.typeName() } : {};
    do {
      const { text, at } = this.expectName();
      const value = this.takeIf('=') ? { value: this.expression() } : {};
      fields.push({ name: text, ...type, ...value, modifiers, at });
    } while (this.takeIf(','));
    const ended = this.is(';') || this.is('}') || this.token.startsLine;
    if (!ended) throw this.unexpected();
  }

  #enumConstants(): EnumConstant[] {
    const constants: EnumConstant[] = [];
    while (this.token.kind === 'name' && this.#endsConstant(this.peek())) {
      const { text, at } = this.take();
      const args: Argument[] = this.is('(') ? this.arguments() : [];
      const body = this.is('{') ? { body: this.nested(() => this.classBody('', at)) } : {};
      constants.push({ name: text, args, ...body, at });
      if (!this.takeIf(',')) break;
    }
    return constants;
  }

  #endsConstant({ kind, text, startsLine }: { kind: string; text: string; startsLine: boolean }): boolean {
    return startsLine || (kind === 'operator' && [',', ';', '(', '{', '}'].includes(text));
  }
}
