import type {
  Argument,
  ClassDeclaration,
  EnumConstant,
  FieldDeclaration,
  MethodDeclaration,
  Parameter,
  Statement,
  TypeName,
} from './ast.ts';
import { type ClassAnnotations, membersFor } from './class-annotations.ts';
import { completed, rebased } from './class-members.ts';
import { withLazyFields } from './lazy-fields.ts';
import { MethodParser } from './method-parser.ts';
import { COMPACT, componentDefaults, componentFields, recordText, withCompact } from './record-members.ts';
import { isOperator } from './token-cursor.ts';

function comparable(at: number): TypeName {
  return { name: 'java.lang.Comparable', dimensions: 0, at };
}

const CLASS_WORDS = new Set(['class', 'interface', 'enum']);
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  trait: 'Use a class or an interface.',
};

/** Classes with their members. */
export abstract class ClassParser extends MethodParser {
  /** The texts of members that annotations stand for. */
  protected added = '';
  protected className = '';

  /** A class of which only the members count. */
  protected abstract membersIn(text: string): ClassDeclaration;

  protected override isClassDeclaration(): boolean {
    const at = this.afterModifiers();
    const { kind, text } = this.tokens[at]!;
    const next = this.tokens[at + 1]!;
    if (kind === 'keyword' && CLASS_WORDS.has(text)) return true;
    if (isOperator(this.tokens[at]!, '@') && next.text === 'interface') {
      throw this.source.errorAt(this.tokens[at]!.at, 'Annotations cannot be declared here');
    }
    if (this.#isRecord(at)) return true;
    const hint =
      kind === 'name' && next.kind === 'name' && !next.startsLine ? REFUSED_WORDS[text] : undefined;
    if (hint !== undefined && Object.hasOwn(REFUSED_WORDS, text) && this.opensBody(at + 2)) {
      throw this.source.errorAt(this.tokens[at]!.at, `A ${text} cannot be declared here`, hint);
    }
    return false;
  }

  #isRecord(at: number): boolean {
    const { kind, text } = this.tokens[at]!;
    const name = this.tokens[at + 1]!;
    if (kind !== 'name' || text !== 'record' || name.kind !== 'name' || name.startsLine) return false;
    const next = this.tokens[at + 2]!;
    const open = isOperator(next, '<') ? this.skipTypeArguments(at + 2) : at + 2;
    if (open < 0 || !isOperator(this.tokens[open]!, '(')) return false;
    const behind = this.tokens[(this.tokens[open]!.closedBy ?? open) + 1]!;
    return isOperator(behind, '{') || (behind.kind === 'keyword' && behind.text === 'implements');
  }

  protected opensBody(from: number): boolean {
    const token = this.tokens[from]!;
    return (
      isOperator(token, '{') || isOperator(token, '(') || token.kind === 'keyword' || token.text === 'permits'
    );
  }

  protected override classDeclaration(): ClassDeclaration {
    this.classAnnotations.clear();
    const modifiers = this.modifiers();
    const annotations = new Map(this.classAnnotations);
    const word = this.take().text;
    const form = word === 'record' ? 'class' : (word as ClassDeclaration['form']);
    const { text: name, at } = this.expectName();
    this.declareTypeVariables();
    const components = word === 'record' ? this.#components() : undefined;
    let parent: TypeName | undefined;
    let interfaces: TypeName[] = [];
    if (this.takeKeywordIf('extends')) {
      if (form === 'interface') interfaces = this.#typeNames();
      else parent = this.typeName();
    }
    if (this.takeKeywordIf('implements')) interfaces = this.#typeNames();
    const permits = this.token.text === 'permits' && this.token.kind === 'name' ? this.#permits() : undefined;
    const body = this.nested(() => this.classBody(name, at, form));
    const declared = {
      ...body,
      modifiers,
      ...(parent === undefined ? {} : { parent }),
      ...(permits === undefined ? {} : { permits }),
      interfaces,
    };
    return this.#completed(declared, annotations, components);
  }

  #components(): readonly Parameter[] {
    this.expect('(');
    const parameters = this.parameters(')');
    this.expect(')');
    return parameters;
  }

  #typeNames(): TypeName[] {
    const names: TypeName[] = [];
    do names.push(this.typeName());
    while (this.takeIf(','));
    return names;
  }

  #permits(): readonly TypeName[] {
    this.take();
    return this.#typeNames();
  }

  /** With the members that its annotations stand for, and those of a record. */
  #completed(
    declared: ClassDeclaration,
    annotations: ClassAnnotations,
    components: readonly Parameter[] | undefined,
  ): ClassDeclaration {
    const label = this.className === '' ? declared.name : `${this.className}$${declared.name}`;
    const { node, text: lazy } = withLazyFields(declared);
    const whole =
      components === undefined
        ? node
        : {
            ...node,
            fields: [...componentFields(components), ...node.fields],
            methods: [...node.methods, ...componentDefaults(components)],
          };
    const record = components === undefined ? '' : recordText(node, label, components);
    const text = [lazy, record, membersFor(whole, label, annotations)]
      .filter((each) => each !== '')
      .join('\n');
    if (text === '') return whole;
    this.added += text;
    const made = this.membersIn(`class ${node.name} {\n${text}\n}`);
    const isFinal = annotations.has('Immutable') || components !== undefined;
    const result = completed(whole, rebased(made, node.at), isFinal);
    const ordered = annotations.has('Sortable')
      ? { ...result, interfaces: [...result.interfaces, comparable(node.at)] }
      : result;
    return components === undefined ? ordered : withCompact(ordered, components.length);
  }

  protected override classBody(
    name: string,
    at: number,
    form: ClassDeclaration['form'] = 'class',
  ): ClassDeclaration {
    const outer = { name: this.className, isInClass: this.isInClass };
    this.className = name;
    this.isInClass = true;
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
    this.className = outer.name;
    this.isInClass = outer.isInClass;
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
      const isInClass = this.isInClass;
      this.isInClass = false;
      members.initializers.push({ isStatic, body: this.block() });
      this.isInClass = isInClass;
      return;
    }
    const afterModifiers = this.afterModifiers();
    const head = this.tokens[afterModifiers]!;
    if (head.text === this.className && isOperator(this.tokens[afterModifiers + 1]!, '(')) {
      const modifiers = this.modifiers();
      this.take();
      members.methods.push(this.methodTail('<init>', modifiers, at, undefined));
      return;
    }
    if (head.text === this.className && isOperator(this.tokens[afterModifiers + 1]!, '{')) {
      const modifiers = this.modifiers();
      this.take();
      members.methods.push({
        kind: 'method',
        name: COMPACT,
        parameters: [],
        body: this.block(),
        modifiers,
        at,
      });
      return;
    }
    if (this.isMethodDeclaration()) {
      members.methods.push(this.methodDeclaration());
      return;
    }
    this.#fields(members.fields);
  }

  #fields(fields: FieldDeclaration[]): void {
    const modifiers = this.modifiers();
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
