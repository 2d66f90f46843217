import type {
  Expression,
  Statement,
  SwitchCase,
  SwitchStatement,
  TryStatement,
  Variable,
  VariableStatement,
} from '../syntax/ast.ts';
import { ExpressionGenerator } from './expression-generator.ts';
import { mark } from './generated-text.ts';

/**
 * Statements. In a tail position a statement gives the value of its function, so its last expression becomes a
 * `return`.
 */
export abstract class StatementGenerator extends ExpressionGenerator {
  protected labels: string[] = [];
  #loopLabel = '';

  protected override functionBody(body: readonly Statement[]): string {
    const outer = { variables: this.variables, labels: this.labels };
    this.variables = [];
    // No jump leads out of a function.
    this.labels = [];
    const code = this.statements(body, true);
    // `var`, because QuickJS checks each use of what `let` declares.
    const declared = this.variables.length === 0 ? '' : `var ${this.variables.join(',')};`;
    this.variables = outer.variables;
    this.labels = outer.labels;
    return `${declared}${code}${endsInReturn(body) ? '' : 'return null;'}`;
  }

  protected statements(body: readonly Statement[], isTail: boolean): string {
    return body
      .map((statement, index) => this.statement(statement, isTail && index === body.length - 1))
      .join('');
  }

  protected block(body: readonly Statement[], isTail: boolean): string {
    return this.inScope('block', () => `{${this.statements(body, isTail)}}`);
  }

  protected statement(node: Statement, isTail: boolean): string {
    const { at, kind } = node;
    const isLoop = kind === 'while' || kind === 'doWhile' || kind === 'for' || kind === 'forIn';
    const label = isLoop ? this.#takeLabel() : '';
    if (kind !== 'labeled') this.#loopLabel = '';
    switch (node.kind) {
      case 'expression':
        if (isTail) return `${mark(at)}return ${this.returned(this.expression(node.value))};\n`;
        return `${mark(at)}${node.value.kind === 'step' ? this.step(node.value, false) : this.expression(node.value)};\n`;
      case 'variable':
        return this.#variables(node, isTail);
      case 'block':
        return this.block(node.body, isTail);
      case 'if': {
        const test = this.truth(node.test);
        const then = this.#branch(node.then, isTail);
        const otherwise = node.otherwise === undefined ? '' : `else ${this.#branch(node.otherwise, isTail)}`;
        return `${mark(at)}if(${test})${then}${otherwise}`;
      }
      case 'while':
        return `${mark(at)}${label}while(${this.truth(node.test)})${this.#loopBody(node.body)}`;
      case 'doWhile':
        return `${mark(at)}${label}do${this.#loopBody(node.body)}while(${this.truth(node.test)});\n`;
      case 'for':
        return this.#for(node, label);
      case 'forIn':
        return this.#forIn(node, label);
      case 'switch':
        return this.#switch(node, isTail);
      case 'try':
        return this.#try(node, isTail);
      case 'return': {
        if (this.context.yields) throw this.source.errorAt(at, "A 'switch' that is a value cannot 'return'");
        const isEmpty =
          node.value === undefined || (node.value.kind === 'constant' && node.value.value === null);
        if (this.context.returns?.name === 'void' && !isEmpty)
          throw this.source.errorAt(at, 'A method that returns void cannot return a value');
        const value = node.value === undefined ? 'null' : this.expression(node.value);
        return `${mark(at)}return ${this.returned(value)};\n`;
      }
      case 'yield':
        return `${mark(at)}return ${this.expression(node.value)};\n`;
      case 'throw':
        return `${mark(at)}throw $.thrown(${this.expression(node.value)});\n`;
      case 'break':
      case 'continue':
        return this.#jump(node);
      case 'assert':
        return this.#assert(node);
      case 'labeled':
        return this.#labeled(node, isTail);
      case 'method':
        throw this.source.errorAt(at, 'A method cannot be declared inside another', 'Use a closure.');
      case 'class':
        throw this.source.errorAt(at, 'A class cannot be declared inside a method', 'Move it to the top.');
    }
  }

  /** The value of a function, as its declared type. */
  protected returned(value: string): string {
    const { returns } = this.context;
    if (returns?.name === 'void') return `(${value},null)`;
    return this.converted(value, returns);
  }

  #branch(node: Statement, isTail: boolean): string {
    return node.kind === 'block' ? this.block(node.body, isTail) : this.block([node], isTail);
  }

  #loopBody(node: Statement): string {
    this.loops++;
    const code = this.#branch(node, false);
    this.loops--;
    return code;
  }

  #variables({ variables, shared, isFinal, isField, at }: VariableStatement, isTail: boolean): string {
    if (shared !== undefined)
      return this.#sharedVariables(variables, this.expression(shared), { isFinal, isField, at });
    const parts = variables.map(({ name, type, value, at: nameAt }) => {
      if (type !== undefined) this.typeValue(type);
      // The name is not known yet in its own value.
      const code = value === undefined ? undefined : this.expression(value);
      const kind = value === undefined ? 'unknown' : this.kindOf(value);
      const known = isField ? this.scope.find(name) : undefined;
      const facts = { type, isFinal: isFinal && value !== undefined };
      const { js } = known ?? this.declareVariable(name, nameAt, facts);
      const initial = code === undefined ? defaultOf(type) : this.converted(code, type, kind);
      return isField ? `${js}=${initial};` : `let ${js}=${initial};`;
    });
    const last = variables.at(-1);
    const tail =
      isTail && last !== undefined ? `return ${this.returned(this.name(last.name, last.at))};\n` : '';
    return `${mark(at)}${parts.join('')}\n${tail}`;
  }

  #sharedVariables(
    variables: readonly Variable[],
    value: string,
    facts: { isFinal: boolean; isField: boolean; at: number },
  ): string {
    const list = this.variable();
    const parts = variables.map(({ name, type, at }, index) => {
      const { js } = this.declareVariable(name, at, { type, isFinal: facts.isFinal, isField: facts.isField });
      return `let ${js}=${this.converted(`$.itemOf(${list},${index})`, type)};`;
    });
    return `${mark(facts.at)}${list}=${value};${parts.join('')}\n`;
  }

  #for({ start, test, steps, body, at }: Statement & { kind: 'for' }, label: string): string {
    return this.inScope('block', () => {
      const before = this.statements(start, false);
      const condition = test === undefined ? '' : this.truth(test);
      const after = steps.map((step) =>
        step.kind === 'step' ? this.step(step, false) : this.expression(step),
      );
      return `{${before}${mark(at)}${label}for(;${condition};${after.join(',')})${this.#loopBody(body)}}\n`;
    });
  }

  /** One variable for all rounds: closures made in the loop share it, as in Groovy. */
  #forIn({ variable, list, body, at }: Statement & { kind: 'forIn' }, label: string): string {
    const items = this.expression(list);
    return this.inScope('block', () => {
      const { name, type } = variable;
      if (type !== undefined) this.typeValue(type);
      const { js } = this.declareVariable(name, variable.at, { type });
      const item = this.temporary();
      const code = this.#loopBody(body);
      return `{let ${js};${mark(at)}${label}for(const ${item} of $.iterate(${items})){${js}=${this.converted(item, type)};${code}}}\n`;
    });
  }

  #jump({ kind, label, at }: Statement & { kind: 'break' | 'continue' }): string {
    const isAllowed = this.loops > 0 || (kind === 'break' && this.switches > 0);
    if (label === undefined && !isAllowed) {
      const where = kind === 'break' ? "a loop or 'switch'" : 'a loop';
      throw this.source.errorAt(at, `'${kind}' is only allowed inside ${where}`);
    }
    if (label === undefined) return `${kind};\n`;
    if (!this.labels.includes(label))
      throw this.source.errorAt(at, `There is no label '${label}' around this place`);
    return `${kind} L$${label};\n`;
  }

  #labeled({ label, body }: Statement & { kind: 'labeled' }, isTail: boolean): string {
    this.labels.push(label);
    this.#loopLabel = `L$${label}:`;
    const code = this.statement(body, isTail);
    this.#loopLabel = '';
    this.labels.pop();
    return code;
  }

  /** What stands in front of a loop that has a label; labels of other statements mean nothing. */
  #takeLabel(): string {
    const label = this.#loopLabel;
    this.#loopLabel = '';
    return label;
  }

  #assert({ test, text, message, at }: Statement & { kind: 'assert' }): string {
    const written = test.kind === 'binary' || test.kind === 'unary' ? `(${text})` : text;
    const failed =
      message === undefined ? JSON.stringify(text) : `${JSON.stringify(written)},${this.expression(message)}`;
    return `${mark(at)}if(!${this.truth(test)})throw $.assertionFailed(${failed});\n`;
  }

  #try({ resources, body, handlers, finalizer, at }: TryStatement, isTail: boolean): string {
    const code =
      resources.length === 0 ? this.block(body, isTail) : this.#withResources(resources, body, isTail);
    if (handlers.length === 0 && finalizer === undefined) return `${code}\n`;
    const tried = `${mark(at)}try${code}`;
    const finished = finalizer === undefined ? '' : `finally${this.block(finalizer, false)}`;
    if (handlers.length === 0) return `${tried}${finished}\n`;
    const raw = this.temporary();
    const caught = this.temporary();
    const branches = handlers.map(({ types, name, body: handler, at: handlerAt }) =>
      this.inScope('block', () => {
        const wanted = types.length === 0 ? [{ name: 'Exception', dimensions: 0, at: handlerAt }] : types;
        const tests = wanted.map((type) => `$.isInstance(${caught},${this.typeValue(type)})`);
        const { js } = this.declareVariable(name, handlerAt);
        return `if(${tests.join('||')}){let ${js}=${caught};${this.statements(handler, isTail)}}else `;
      }),
    );
    return `${tried}catch(${raw}){const ${caught}=$.caught(${raw});${branches.join('')}throw ${raw};}${finished}\n`;
  }

  /** Each resource is closed when the body is left, whatever the way; what the body threw is thrown all the same. */
  #withResources(resources: readonly Statement[], body: readonly Statement[], isTail: boolean): string {
    const [resource, ...others] = resources;
    if (resource === undefined) return this.block(body, isTail);
    return this.inScope('block', () => {
      const declared = resource.kind === 'variable' ? this.statement(resource, false) : '';
      const value = this.temporary();
      const failure = this.temporary();
      const code = this.#resourceValue(resource);
      const inner = this.#withResources(others, body, isTail);
      const tried = `try${inner}catch($x){${failure}=[$x];throw $x;}finally{${mark(resource.at)}$.close(${value},${failure});}`;
      return `{${declared}const ${value}=${code};let ${failure};${tried}}`;
    });
  }

  #resourceValue(resource: Statement): string {
    if (resource.kind === 'expression') return this.expression(resource.value);
    const last = resource.kind === 'variable' ? resource.variables.at(-1) : undefined;
    return last === undefined ? 'null' : this.name(last.name, last.at);
  }

  /** Chooses the first case that matches, then lets JavaScript fall through. */
  #switch(node: SwitchStatement, isTail: boolean): string {
    const { value, cases, at } = node;
    const subject = this.temporary();
    const code = this.expression(value);
    return this.inScope('block', () => {
      const fallback = cases.findIndex(({ tests }) => tests.length === 0);
      const choice = cases.map(({ tests }, index) =>
        tests.map((test) => `${this.#caseTest(test, subject)}?${index}:`).join(''),
      );
      this.switches++;
      const bodies = cases.map((each, index) => {
        const isLast = index === cases.length - 1;
        return `case ${index}:${this.#caseBody(each, isTail, isLast)}`;
      });
      this.switches--;
      const chosen = `${choice.join('')}${fallback}`;
      return `{const ${subject}=${code};${mark(at)}switch(${chosen}){${bodies.join('\n')}}}\n`;
    });
  }

  /** Texts and ints that are written out need the runtime only for values of other types. */
  #caseTest(test: Expression, subject: string): string {
    const code = this.expression(test);
    const general = `$.isCase(${code},${subject})`;
    const type = this.kindOf(test) === 'int' ? 'number' : this.kindOf(test);
    const isWritten = test.kind === 'number' || test.kind === 'constant';
    if (!isWritten || (type !== 'number' && type !== 'string')) return general;
    return `(${subject}===${code}||typeof ${subject}!=="${type}"&&${general})`;
  }

  #caseBody({ body, isArrow }: SwitchCase, isTail: boolean, isLast: boolean): string {
    if (isArrow) return `${this.block(body, isTail)}break;`;
    const last = body.at(-1);
    const endsInBreak = last?.kind === 'break' && last.label === undefined;
    if (!isTail) return this.block(body, false);
    if (endsInBreak) return `${this.block(body.slice(0, -1), true)}break;`;
    return this.block(body, isLast || last?.kind === 'if' || last?.kind === 'try' ? isLast : false);
  }

  protected override switchFunction(node: SwitchStatement): string {
    const code = this.inContext({ ...this.context, yields: true }, () => {
      const { returns: _returns, ...context } = this.context;
      return this.inContext(context, () => this.inScope('block', () => this.#switch(node, true)));
    });
    return `(()=>{${code}return null;})`;
  }
}

function defaultOf(type: Variable['type']): string {
  if (type === undefined || type.dimensions > 0) return 'null';
  switch (type.name) {
    case 'int':
      return '0';
    case 'long':
      return '0n';
    case 'boolean':
      return 'false';
    case 'double':
      return '$.double(0)';
    case 'float':
      return '$.float(0)';
    case 'short':
    case 'byte':
    case 'char':
      return `$.cast(0,$.type("${type.name}"))`;
    default:
      return 'null';
  }
}

function endsInReturn(body: readonly Statement[]): boolean {
  const last = body.at(-1);
  return last?.kind === 'expression' || last?.kind === 'return' || last?.kind === 'throw';
}
