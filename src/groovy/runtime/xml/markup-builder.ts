import { Closure, DELEGATE_FIRST } from '../closure.ts';
import { call, hostCalls } from '../dispatch.ts';
import { outside } from '../dispatch-port.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { copyClosure } from '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';
import { escapeText } from './xml-tree.ts';

/** `builder.name(attribute: value, text) { … }` writes an element; calls inside the closure are those within it. */
class MarkupBuilder extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.xml.MarkupBuilder');
  readonly #writer: unknown;
  #depth = 0;
  /** Whether something was written inside the element that is open. */
  #isFilled = true;
  #isFirst = true;
  doubleQuotes = false;
  omitsNull = false;
  omitsEmpty = false;
  expands = false;

  constructor(writer: unknown) {
    super();
    this.#writer = writer;
  }

  write(text: string): void {
    if (this.#writer === undefined) outside.print(text);
    else call(this.#writer, 'write', [text]);
  }

  element(name: string, args: readonly unknown[]): null {
    const last = args.at(-1);
    const closure = last instanceof Closure ? last : undefined;
    const attributes = args.find((arg): arg is JavaMap => arg instanceof JavaMap);
    const value = args.find((arg) => arg !== attributes && arg !== closure);
    this.#fill();
    if (!this.#isFirst) this.write(`\n${'  '.repeat(this.#depth)}`);
    this.#isFirst = false;
    this.write(`<${name}${this.#attributes(attributes)}`);
    if (closure === undefined) this.#simple(name, value);
    else this.#nested(name, value, closure);
    return null;
  }

  #simple(name: string, value: unknown): void {
    const text = value === undefined || value === null ? '' : escapeText(toText(value));
    if (value === undefined || value === null) this.write(this.expands ? `></${name}>` : ' />');
    else this.write(`>${text}</${name}>`);
  }

  #nested(name: string, value: unknown, closure: Closure): void {
    this.#isFilled = false;
    this.#depth++;
    if (value !== undefined && value !== null) this.text(escapeText(toText(value)));
    const bound = copyClosure(closure);
    bound.delegate = this;
    bound.strategy = DELEGATE_FIRST;
    const before = this.#depth;
    const hadElements = this.#elements;
    this.#elements = 0;
    bound.call(bound.most === 0 ? [] : [this]);
    const elements = this.#elements;
    this.#elements = hadElements;
    this.#depth = before - 1;
    if (!this.#isFilled) this.write(this.expands ? `></${name}>` : ' />');
    else if (elements === 0) this.write(`</${name}>`);
    else this.write(`\n${'  '.repeat(this.#depth)}</${name}>`);
    this.#isFilled = true;
  }

  #elements = 0;

  /** The start tag that is open ends, because something comes. */
  #fill(): void {
    if (!this.#isFilled) this.write('>');
    this.#isFilled = true;
    this.#elements++;
  }

  text(text: string): void {
    if (!this.#isFilled) this.write('>');
    this.#isFilled = true;
    this.write(text);
  }

  #attributes(attributes: JavaMap | undefined): string {
    const quote = this.doubleQuotes ? '"' : "'";
    const escaped = (value: unknown) =>
      escapeText(toText(value))
        .replaceAll(quote, quote === '"' ? '&quot;' : '&apos;')
        .replaceAll('\n', '&#10;')
        .replaceAll('\r', '&#13;')
        .replaceAll('\t', '&#09;');
    return (attributes?.list() ?? [])
      .filter(({ value }) => !(this.omitsNull && value === null) && !(this.omitsEmpty && value === ''))
      .map(({ key, value }) => ` ${toText(key)}=${quote}${value === null ? '' : escaped(value)}${quote}`)
      .join('');
  }
}

/** `mkp`: what is written besides elements. */
class Helper extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.xml.MarkupBuilderHelper');
  readonly builder: MarkupBuilder;

  constructor(builder: MarkupBuilder) {
    super();
    this.builder = builder;
  }
}

const OWN = new Set(
  'with tap getClass toString getMkp getMetaClass each collect println print use'.split(' '),
);
const others = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof MarkupBuilder)) return others(receiver, name);
  return OWN.has(name) || /^set(?:DoubleQuotes|Omit|Expand)/.test(name)
    ? undefined
    : (args) => receiver.element(name, args);
};

defineStatics('groovy.xml.MarkupBuilder', { 'new/0-1': (writer?: unknown) => new MarkupBuilder(writer) });
defineMethods('groovy.xml.MarkupBuilder', 'java.lang.Object', {
  'getMkp/0': (self: MarkupBuilder) => new Helper(self),
  'setDoubleQuotes/1': (self: MarkupBuilder, on: boolean) => {
    self.doubleQuotes = on;
    return null;
  },
  'setOmitNullAttributes/1': (self: MarkupBuilder, on: boolean) => {
    self.omitsNull = on;
    return null;
  },
  'setOmitEmptyAttributes/1': (self: MarkupBuilder, on: boolean) => {
    self.omitsEmpty = on;
    return null;
  },
  'setExpandEmptyElements/1': (self: MarkupBuilder, on: boolean) => {
    self.expands = on;
    return null;
  },
});
defineMethods('groovy.xml.MarkupBuilderHelper', 'java.lang.Object', {
  'yield/1': (self: Helper, value: unknown) => {
    self.builder.text(escapeText(toText(value)));
    return null;
  },
  'yieldUnescaped/1': (self: Helper, value: unknown) => {
    self.builder.text(toText(value));
    return null;
  },
  'comment/1': (self: Helper, value: unknown) => {
    self.builder.text(`<!-- ${toText(value)} -->`);
    return null;
  },
  'xmlDeclaration/1': (self: Helper, attributes: JavaMap) => {
    const facts = attributes.list().map(({ key, value }) => ` ${toText(key)}='${toText(value)}'`);
    self.builder.text(`<?xml${facts.join('')}?>\n`);
    return null;
  },
});
