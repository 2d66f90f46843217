import { exception, type Throwable } from '../throwable.ts';

/** An element as it was read. Names are as they are written, with their prefixes. */
export interface XmlElement {
  readonly name: string;
  /** The name without the prefix, where prefixes count. */
  readonly local: string;
  readonly attributes: Map<string, string>;
  readonly children: (XmlElement | string)[];
  readonly parent: XmlElement | undefined;
}

const DEEPEST = 200;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const NAME = /[\p{L}_:][\p{L}\p{N}_:.-]*/uy;
const SPACE = /[ \t\r\n]+/y;

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * Reads XML without a document type: there are no entities but those of XML itself, so nothing can be read from
 * elsewhere and nothing can grow.
 */
export class XmlReader {
  readonly #text: string;
  readonly #hasPrefixes: boolean;
  #at = 0;

  constructor(text: string, hasPrefixes = true) {
    this.#hasPrefixes = hasPrefixes;
    this.#text = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  }

  read(): XmlElement {
    this.#prolog();
    if (!this.#is('<')) throw this.#error('Content is not allowed in prolog.');
    const root = this.#element(undefined, 0);
    this.#prolog();
    if (this.#at < this.#text.length)
      throw this.#error('The markup in the document following the root element must be well-formed.');
    return root;
  }

  /** Blanks, comments, instructions. */
  #prolog(): void {
    for (;;) {
      this.#match(SPACE);
      if (this.#is('<?')) this.#skipTo('?>');
      else if (this.#is('<!--')) this.#skipTo('-->');
      else if (this.#is('<!DOCTYPE')) {
        throw this.#error(
          'DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.',
        );
      } else return;
    }
  }

  #element(parent: XmlElement | undefined, depth: number): XmlElement {
    if (depth > DEEPEST) throw this.#error(`The elements are nested more than ${DEEPEST} deep`);
    this.#at++;
    const name = this.#name();
    const local = this.#hasPrefixes ? localName(name) : name;
    const element: XmlElement = { name, local, attributes: this.#attributes(), children: [], parent };
    if (this.#take('/>')) return element;
    if (!this.#take('>'))
      throw this.#error(
        `Element type "${name}" must be followed by either attribute specifications, ">" or "/>".`,
      );
    this.#content(element, depth);
    return element;
  }

  #content(element: XmlElement, depth: number): void {
    const { children, name } = element;
    const text: string[] = [];
    const endText = () => {
      if (text.length > 0) children.push(text.join(''));
      text.length = 0;
    };
    for (;;) {
      const next = this.#text.indexOf('<', this.#at);
      if (next < 0) throw this.#error('XML document structures must start and end within the same entity.');
      if (next > this.#at) text.push(this.#unescaped(this.#text.slice(this.#at, next)));
      this.#at = next;
      if (this.#is('<![CDATA[')) {
        const from = this.#at + 9;
        this.#skipTo(']]>');
        text.push(this.#text.slice(from, this.#at - 3));
      } else if (this.#is('<!--')) this.#skipTo('-->');
      else if (this.#is('<?')) this.#skipTo('?>');
      else if (this.#take('</')) {
        endText();
        if (this.#name() !== name)
          throw this.#error(
            `The element type "${name}" must be terminated by the matching end-tag "</${name}>".`,
          );
        this.#match(SPACE);
        if (!this.#take('>'))
          throw this.#error(`The end-tag for element type "${name}" must end with a '>' delimiter.`);
        return;
      } else {
        endText();
        children.push(this.#element(element, depth + 1));
      }
    }
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      const hasSpace = this.#match(SPACE) !== undefined;
      if (!hasSpace || this.#is('>') || this.#is('/')) return attributes;
      const name = this.#name();
      this.#match(SPACE);
      if (!this.#take('='))
        throw this.#error(`Attribute name "${name}" must be followed by the ' = ' character.`);
      this.#match(SPACE);
      const quote = this.#text[this.#at];
      const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1;
      if (end < 0) throw this.#error(`Open quote is expected for attribute "${name}".`);
      if (attributes.has(name)) throw this.#error(`Attribute "${name}" was already specified.`);
      const value = this.#text.slice(this.#at + 1, end);
      if (value.includes('<'))
        throw this.#error(`The value of attribute "${name}" must not contain the '<' character.`);
      attributes.set(name, this.#unescaped(value.replace(/[\t\n]/g, ' ')));
      this.#at = end + 1;
    }
  }

  #unescaped(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(
      /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+))?;?/g,
      (all, decimal, hex, name: string) => {
        if (!all.endsWith(';')) throw this.#error("The reference must end with the ';' delimiter.");
        if (name !== undefined) {
          const value = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
          if (value === undefined)
            throw this.#error(`The entity "${name}" was referenced, but not declared.`);
          return value;
        }
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
        if (!(code > 0 && code <= 0x10ffff)) throw this.#error('The character reference is no character');
        return String.fromCodePoint(code);
      },
    );
  }

  #name(): string {
    const name = this.#match(NAME);
    if (name === undefined)
      throw this.#error('The content of elements must consist of well-formed character data or markup.');
    return name;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #is(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const found = this.#is(text);
    if (found) this.#at += text.length;
    return found;
  }

  #skipTo(end: string): void {
    const at = this.#text.indexOf(end, this.#at);
    if (at < 0) throw this.#error('XML document structures must start and end within the same entity.');
    this.#at = at + end.length;
  }

  #error(message: string): Throwable {
    const before = this.#text.slice(0, this.#at).split('\n');
    const failure = exception('org.xml.sax.SAXParseException', message);
    failure.fields['lineNumber'] = before.length;
    failure.fields['columnNumber'] = before.at(-1)!.length + 1;
    return failure;
  }
}

/** Whether a text is only the blanks between elements. */
export function isBlank(text: string): boolean {
  return /^\s*$/.test(text);
}

export function textOfElement(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOfElement(child))).join('');
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
