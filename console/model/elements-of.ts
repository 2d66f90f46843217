/**
 * Elements from the markup of a library that writes its own as text. The policy of the page lets no text become markup, so
 * they are made one by one; the build puts this in the place of what would hand the text to the browser. It reads what
 * libraries write, which is no more than tags, attributes, texts and the entities of escaped texts.
 */
const TOKEN =
  /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:.-]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'=<>]+))?)*)\s*(\/?)>|([^<]+)/g;
const ATTRIBUTE = /([\w:.-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]+)))?/g;
const EMPTY = /^(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;
/** What would act, and belongs in no drawing. */
const REFUSED = /^(?:script|style|iframe|object|embed|link|meta|base|form)$/i;
const SVG = 'http://www.w3.org/2000/svg';
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** @returns the one node, or all of them in a fragment */
export default function elementsOf(markup: string, owner: Document = document): Node {
  const top = owner.createDocumentFragment();
  const open: (Element | DocumentFragment)[] = [top];
  for (const [, slash, name = '', attributes = '', end, text] of markup.trim().matchAll(TOKEN)) {
    const around = open.at(-1) ?? top;
    if (text !== undefined) around.append(plain(text));
    else if (slash === '/') {
      if (open.length > 1) open.pop();
    } else if (name !== '') {
      const element = elementIn(around, name, owner);
      if (!REFUSED.test(name)) {
        setAttributes(element, attributes);
        around.append(element);
      }
      if (end !== '/' && !EMPTY.test(name)) open.push(element);
    }
  }
  const [first, ...others] = top.childNodes;
  return first !== undefined && others.length === 0 ? first : top;
}

function elementIn(around: Element | DocumentFragment, name: string, owner: Document): Element {
  const isSvg = name === 'svg' || ('namespaceURI' in around && around.namespaceURI === SVG);
  return isSvg ? owner.createElementNS(SVG, name) : owner.createElement(name);
}

/** Handlers are left out; styles are set as a script sets them, which the policy is not about. */
function setAttributes(element: Element, text: string): void {
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = plain(double ?? single ?? bare ?? '');
    if (/^(?:on|xmlns)/i.test(name) || /^\s*javascript:/i.test(value)) continue;
    if (name !== 'style') element.setAttribute(name, value);
    else if (element instanceof HTMLElement || element instanceof SVGElement) element.style.cssText = value;
  }
}

function plain(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (entity, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? entity;
  });
}
