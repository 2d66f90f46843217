import type { ReturnStatement, Statement } from 'acorn';
import type { ScriptProgram } from './declaring-parser.ts';
import type { SourceEdits } from './source-edits.ts';

/** The variable that collects the value of the script. Long enough that nobody spells it by accident. */
export const COMPLETION = 'svc$completionValue';

/**
 * Makes a function body return what `eval` of the same text would: each expression statement outside of inner
 * functions leaves its value in `COMPLETION`, and statements that complete with undefined when nothing in them
 * has a value (ECMAScript's UpdateEmpty) clear it first. Returns the `return` statements that belong to the body.
 */
export function keepCompletionValue(program: ScriptProgram, edits: SourceEdits): readonly ReturnStatement[] {
  return new CompletionRewriter(edits).rewrite(program);
}

class CompletionRewriter {
  readonly #edits: SourceEdits;
  readonly #returns: ReturnStatement[] = [];
  #finalizers = 0;

  constructor(edits: SourceEdits) {
    this.#edits = edits;
  }

  rewrite(program: ScriptProgram): readonly ReturnStatement[] {
    let lastDirective: { end: number; raw: string } | undefined;
    const statements: Statement[] = [];
    for (const node of program.body) {
      if (node.type === 'ExpressionStatement' && node.directive !== undefined) {
        lastDirective = { end: node.end, raw: JSON.stringify(node.directive) };
      } else {
        statements.push(node);
      }
    }
    // An assignment in front of a directive would make it an ordinary string.
    if (lastDirective !== undefined) {
      this.#edits.insert(lastDirective.end, `;${COMPLETION}=${lastDirective.raw};`);
    }
    this.#visitAll(statements);
    return this.#returns;
  }

  #visitAll(statements: readonly Statement[]): void {
    for (const statement of statements) this.#visit(statement);
  }

  #visit(node: Statement): void {
    const clears = clearsValue(node);
    if (clears) this.#edits.insert(node.start, `{${COMPLETION}=void 0;`);
    this.#visitInside(node);
    if (clears) this.#edits.insert(node.end, '}');
  }

  #visitInside(node: Statement): void {
    switch (node.type) {
      case 'ExpressionStatement': {
        const { expression } = node;
        // An unparenthesised comma would end the assignment.
        const isList = expression.type === 'SequenceExpression' && expression.start === node.start;
        this.#edits.insert(node.start, isList ? `${COMPLETION}=(` : `${COMPLETION}=`);
        if (isList) this.#edits.insert(expression.end, ')');
        return;
      }
      case 'BlockStatement':
        this.#visitAll(node.body);
        return;
      case 'IfStatement':
        this.#visit(node.consequent);
        if (node.alternate) this.#visit(node.alternate);
        return;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'WithStatement':
        this.#visit(node.body);
        return;
      case 'LabeledStatement':
        this.#visitInside(node.body);
        return;
      case 'SwitchStatement':
        for (const clause of node.cases) this.#visitAll(clause.consequent);
        return;
      case 'TryStatement':
        this.#visitAll(node.block.body);
        if (node.handler) {
          // What the try block had come to is forgotten.
          this.#edits.insert(node.handler.body.start + 1, `${COMPLETION}=void 0;`);
          this.#visitAll(node.handler.body.body);
        }
        if (node.finalizer) this.#visitFinalizer(node.finalizer);
        return;
      case 'ReturnStatement':
        this.#returns.push(node);
        return;
      default:
        return;
    }
  }

  /** A finally block has a value only when it ends by break or continue; else that of the try stands. */
  #visitFinalizer(block: { start: number; end: number; body: Statement[] }): void {
    const saved = `${COMPLETION}${++this.#finalizers}`;
    this.#edits.insert(block.start + 1, `let ${saved}=${COMPLETION};${COMPLETION}=void 0;`);
    this.#visitAll(block.body);
    this.#edits.insert(block.end - 1, `;${COMPLETION}=${saved};`);
  }
}

function clearsValue(node: Statement): boolean {
  switch (node.type) {
    case 'IfStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'WithStatement':
    case 'SwitchStatement':
    case 'TryStatement':
      return true;
    case 'LabeledStatement':
      return clearsValue(node.body);
    default:
      return false;
  }
}
