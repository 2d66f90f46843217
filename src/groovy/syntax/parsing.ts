import type { Argument, ClassDeclaration, Expression, Statement } from './ast.ts';
import { tokenize } from './lexer.ts';
import type { SourceText } from './source-text.ts';
import { TokenCursor } from './token-cursor.ts';

/** What contains each other in a script; `parser.ts` hands them in. */
export interface Grammar {
  expression(p: Parsing): Expression;
  expressionOrCommand(p: Parsing): Expression;
  statement(p: Parsing): Statement;
  classBody(p: Parsing, name: string, at: number, form?: ClassDeclaration['form']): ClassDeclaration;
  membersIn(p: Parsing, text: string): ClassDeclaration;
}

/** The reading of one script, as all parts of the parser share it: where it stands, and what is around that place. */
export class Parsing extends TokenCursor {
  readonly #grammar: Grammar;
  /** In `case x -> y` the arrow is not that of a closure. */
  arrowEndsCase = false;
  /** How many `switch` are around; `yield` means something in one only. */
  switchValues = 0;
  /** A body of a class, where methods need no `def` before their names are seen. */
  isInClass = false;
  className = '';
  /** The annotations that were read last and stand for members of a class, with their arguments. */
  readonly classAnnotations = new Map<string, readonly Argument[]>();
  /** The texts of members that annotations stand for. */
  added = '';
  /** Classes of `@Newify`: their names, called, make objects. */
  readonly newified = new Set<string>();
  readonly typeVariables = new Set<string>();

  constructor(source: SourceText, grammar: Grammar) {
    super(source, tokenize(source));
    this.#grammar = grammar;
  }

  expression(): Expression {
    return this.#grammar.expression(this);
  }

  /** An expression, or `name value, value`, a call without brackets. */
  expressionOrCommand(): Expression {
    return this.#grammar.expressionOrCommand(this);
  }

  statement(): Statement {
    return this.#grammar.statement(this);
  }

  classBody(name: string, at: number, form?: ClassDeclaration['form']): ClassDeclaration {
    return this.#grammar.classBody(this, name, at, form);
  }

  /** A class of which only the members count. */
  membersIn(text: string): ClassDeclaration {
    return this.#grammar.membersIn(this, text);
  }
}
