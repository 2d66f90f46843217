import { parseArguments } from './arguments.ts';
import type {
  Argument,
  ClassDeclaration,
  EnumConstant,
  FieldDeclaration,
  MethodDeclaration,
  Statement,
} from './ast.ts';
import { parseBlock } from './blocks.ts';
import { isClassDeclaration, parseClass } from './classes.ts';
import { isMethodDeclaration, parseMethod, parseMethodTail } from './methods.ts';
import { behindModifiers, parseModifiers } from './modifiers.ts';
import type { Parsing } from './parsing.ts';
import { COMPACT } from './record-members.ts';
import { isOperator } from './token-cursor.ts';

export function parseClassBody(
  p: Parsing,
  name: string,
  at: number,
  form: ClassDeclaration['form'] = 'class',
): ClassDeclaration {
  const outer = { name: p.className, isInClass: p.isInClass };
  p.className = name;
  p.isInClass = true;
  p.expect('{');
  const fields: FieldDeclaration[] = [];
  const methods: MethodDeclaration[] = [];
  const classes: ClassDeclaration[] = [];
  const initializers: { isStatic: boolean; body: readonly Statement[] }[] = [];
  const constants = form === 'enum' ? parseEnumConstants(p) : [];
  const members = { constants, fields, methods, classes, initializers };
  for (;;) {
    while (p.takeIf(';'));
    if (p.is('}')) break;
    if (p.isAtEnd) throw p.unexpected("The '}' of the class is missing.");
    parseMember(p, members);
  }
  p.take();
  p.className = outer.name;
  p.isInClass = outer.isInClass;
  return { kind: 'class', form, name, modifiers: new Set(), interfaces: [], ...members, at };
}

function parseMember(
  p: Parsing,
  members: {
    fields: FieldDeclaration[];
    methods: MethodDeclaration[];
    classes: ClassDeclaration[];
    initializers: { isStatic: boolean; body: readonly Statement[] }[];
  },
): void {
  const { at } = p.token;
  if (isClassDeclaration(p)) {
    members.classes.push(parseClass(p));
    return;
  }
  const isStatic = p.isKeyword('static') && isOperator(p.peek(), '{');
  if (isStatic) p.take();
  if (p.is('{')) {
    const isInClass = p.isInClass;
    p.isInClass = false;
    members.initializers.push({ isStatic, body: parseBlock(p) });
    p.isInClass = isInClass;
    return;
  }
  const afterModifiers = behindModifiers(p);
  const head = p.tokenAt(afterModifiers);
  if (head.text === p.className && isOperator(p.tokenAt(afterModifiers + 1), '(')) {
    const modifiers = parseModifiers(p);
    p.take();
    members.methods.push(parseMethodTail(p, '<init>', modifiers, at, undefined));
    return;
  }
  if (head.text === p.className && isOperator(p.tokenAt(afterModifiers + 1), '{')) {
    const modifiers = parseModifiers(p);
    p.take();
    members.methods.push({
      kind: 'method',
      name: COMPACT,
      parameters: [],
      body: parseBlock(p),
      modifiers,
      at,
    });
    return;
  }
  if (isMethodDeclaration(p)) {
    members.methods.push(parseMethod(p));
    return;
  }
  parseFields(p, members.fields);
}

function parseFields(p: Parsing, fields: FieldDeclaration[]): void {
  const modifiers = parseModifiers(p);
  const end = p.skipType(p.index);
  const next = end < 0 ? undefined : p.tokenAt(end);
  const hasType = next?.kind === 'name' && !next.startsLine;
  if (!hasType && modifiers.size === 0) throw p.unexpected('A property or method is missing.');
  const type = hasType ? { type: p.typeName() } : {};
  do {
    const { text, at } = p.expectName();
    const value = p.takeIf('=') ? { value: p.expression() } : {};
    fields.push({ name: text, ...type, ...value, modifiers, at });
  } while (p.takeIf(','));
  const ended = p.is(';') || p.is('}') || p.token.startsLine;
  if (!ended) throw p.unexpected();
}

function parseEnumConstants(p: Parsing): EnumConstant[] {
  const constants: EnumConstant[] = [];
  while (p.token.kind === 'name' && endsConstant(p.peek())) {
    const { text, at } = p.take();
    const args: Argument[] = p.is('(') ? parseArguments(p) : [];
    const body = p.is('{') ? { body: p.nested(() => p.classBody('', at)) } : {};
    constants.push({ name: text, args, ...body, at });
    if (!p.takeIf(',')) break;
  }
  return constants;
}

function endsConstant({
  kind,
  text,
  startsLine,
}: {
  kind: string;
  text: string;
  startsLine: boolean;
}): boolean {
  return startsLine || (kind === 'operator' && [',', ';', '(', '{', '}'].includes(text));
}
