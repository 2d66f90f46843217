import type { Expression, Statement, SwitchCase, SwitchStatement } from './ast.ts';
import { BlockParser } from './block-parser.ts';

export abstract class SwitchParser extends BlockParser {
  /** How many `switch` are around; `yield` means something in one only. */
  protected switchValues = 0;

  protected override switchStatement(): SwitchStatement {
    const { at } = this.take();
    const value = this.condition();
    this.expect('{');
    const cases: SwitchCase[] = [];
    this.switchValues++;
    while (!this.is('}')) {
      if (!this.isKeyword('case') && !this.isKeyword('default')) throw this.unexpected("'case' is missing.");
      if (cases.at(-1)?.tests.length === 0) {
        throw this.source.errorAt(
          this.token.at,
          'a default branch must only appear as the last branch of a switch',
        );
      }
      cases.push(this.#case());
    }
    this.switchValues--;
    const stray = cases.find(({ isArrow }) => isArrow !== cases[0]!.isArrow);
    if (stray !== undefined) {
      throw this.source.errorAt(
        stray.at,
        "The cases of a 'switch' are written with ':' or with '->', not both",
      );
    }
    this.take();
    return { kind: 'switch', value, cases, at };
  }

  #case(): SwitchCase {
    const { at } = this.token;
    const tests: Expression[] = [];
    if (!this.takeKeywordIf('default')) {
      this.take();
      const before = this.arrowEndsCase;
      this.arrowEndsCase = true;
      do tests.push(this.expression());
      while (this.takeIf(','));
      this.arrowEndsCase = before;
    }
    if (this.takeIf('->')) {
      const isBlock = this.is('{') || this.isKeyword('throw');
      const body = isBlock ? [this.body()] : [this.#arrowValue()];
      this.takeIf(';');
      return { tests, isArrow: true, body, at };
    }
    this.expect(':');
    const body: Statement[] = [];
    for (;;) {
      while (this.takeIf(';'));
      if (this.is('}') || this.isKeyword('case') || this.isKeyword('default')) break;
      if (this.isAtEnd) throw this.unexpected();
      body.push(this.statement());
      if (!this.isKeyword('case') && !this.isKeyword('default')) this.endStatement();
    }
    return { tests, isArrow: false, body, at };
  }

  #arrowValue(): Statement {
    const value = this.expressionOrCommand();
    return { kind: 'expression', value, at: value.at };
  }
}
