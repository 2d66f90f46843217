import type { ClassDeclaration, Import, Script, Statement } from './ast.ts';
import { ClassParser } from './class-parser.ts';
import { tokenize } from './lexer.ts';
import { SourceText } from './source-text.ts';
import { isOperator } from './token-cursor.ts';

/** @throws GroovySyntaxError */
export function parseGroovy(source: SourceText): Script {
  return new Parser(source, tokenize(source)).script();
}

class Parser extends ClassParser {
  script(): Script {
    const imports: Import[] = [];
    const body: Statement[] = [];
    this.#skipPackage();
    for (;;) {
      while (this.takeIf(';'));
      if (this.isAtEnd)
        return {
          imports,
          typeVariables: this.typeVariables,
          body,
          added: this.added,
          newified: this.newified,
        };
      if (this.isKeyword('import') || this.#isAnnotatedImport()) imports.push(this.#import());
      else {
        body.push(this.statement());
        const ended = this.is(';') || this.token.startsLine || this.isAtEnd;
        if (!ended && !isOperator(this.previous, '}') && !isOperator(this.previous, ';'))
          throw this.unexpected();
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

  protected override membersIn(text: string): ClassDeclaration {
    const source = new SourceText(this.source.name, text);
    const [made] = new Parser(source, tokenize(source)).script().body;
    return made as ClassDeclaration;
  }
}
