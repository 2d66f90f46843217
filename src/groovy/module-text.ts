import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Declaration, type ImportDeclaration, type Node, parse, type Token } from 'acorn';

/** A module of the library as the body of a function, which gets from elsewhere what the module imports. */
export interface ModuleText {
  readonly imports: readonly {
    readonly path: string;
    /** What takes the module apart, `{a,b:c}`, or a name for all of it; absent where only its loading is wanted. */
    readonly pattern?: string;
  }[];
  readonly body: string;
  /** The members of what the module exports: `a` or, of a `b` under another name, `a:b`. */
  readonly exports: readonly string[];
}

/** @throws Error for a way to import or export that the library does not use */
export function moduleText(source: string): ModuleText {
  const code = withoutTypes(source);
  const tokens: Token[] = [];
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  const imports: ModuleText['imports'][number][] = [];
  const exports: string[] = [];
  const left: { start: number; end: number }[] = [...fieldsWithoutValue(program)];
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      imports.push({ path: String(node.source.value), ...patternOf(node) });
      left.push(node);
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
      exports.push(...declaredNames(node.declaration));
      left.push({ start: node.start, end: node.declaration.start });
    } else if (node.type === 'ExportNamedDeclaration' && !node.source) {
      exports.push(...node.specifiers.map(({ local, exported }) => member(nameOf(exported), nameOf(local))));
      left.push(node);
    } else if (node.type.startsWith('Export')) {
      throw new Error(`The library has no ${node.type}: ${code.slice(node.start, node.end)}`);
    }
  }
  return { imports, exports, body: textOf(code, tokens, left) };
}

/** The tokens without comments, and without what is left out. */
function textOf(
  code: string,
  tokens: readonly Token[],
  left: readonly { start: number; end: number }[],
): string {
  const ranges = [...left].sort((one, other) => one.start - other.start);
  let text = '';
  let end = 0;
  let at = 0;
  for (const token of tokens) {
    while (at < ranges.length && ranges[at]!.end <= token.start) at++;
    const range = ranges[at];
    if (range !== undefined && token.start >= range.start) continue;
    const gap = code.slice(end, token.start);
    // A line end may stand for a semicolon.
    if (gap !== '') text += gap.includes('\n') ? '\n' : ' ';
    text += code.slice(token.start, token.end);
    end = token.end;
  }
  return text.trim();
}

/** A field that gets its value in the constructor: to define it before that would make each object dearer. */
function* fieldsWithoutValue(node: Node): Generator<Node> {
  const { type, value, key, static: isStatic } = node as AnyNode & Record<string, unknown>;
  if (type === 'PropertyDefinition' && !value && !isStatic && key.type === 'Identifier') yield node;
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === 'string') yield* fieldsWithoutValue(child);
  }
}

function patternOf({ specifiers }: ImportDeclaration): { pattern?: string } {
  const [first] = specifiers;
  if (first === undefined) return {};
  if (first.type === 'ImportNamespaceSpecifier') return { pattern: first.local.name };
  const members = specifiers.map((each) => {
    if (each.type !== 'ImportSpecifier') throw new Error('The library has no default exports');
    return member(nameOf(each.imported), each.local.name);
  });
  return { pattern: `{${members.join(',')}}` };
}

function declaredNames(node: Declaration): string[] {
  const declared = node.type === 'VariableDeclaration' ? node.declarations : [node];
  return declared.map(({ id }) => nameOf(id));
}

function nameOf(node: AnyNode): string {
  if (node.type !== 'Identifier') throw new Error(`The library has no name that is a ${node.type}`);
  return node.name;
}

function member(name: string, local: string): string {
  return name === local ? name : `${name}:${local}`;
}

/** Node warns that it may change how this works; whoever runs a script has no use for that. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
