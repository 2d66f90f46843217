import { ConnectorError } from '../../contract.ts';

/** Tags of what answers consist of (RFC 4511, appendix B). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
  searchEntry: 0x64,
  searchReference: 0x73,
  controls: 0xa0,
  referral: 0xa3,
} as const;

/** Answers that begin as an LDAPResult does. */
const RESULTS: ReadonlySet<number> = new Set([0x61, 0x65, 0x67, 0x69, 0x6b, 0x6d, 0x6f, 0x78]);
const LONG_LENGTH = 0x80;
const MOST_LENGTH_BYTES = 4;

interface Element {
  readonly tag: number;
  readonly from: number;
  readonly to: number;
}

/** How long the element is that begins there; where that cannot be said yet, how much it takes to say it. @throws ConnectorError */
export function bytesOfElement(bytes: Buffer, at: number): number {
  const [tag, length] = [bytes[at], bytes[at + 1]];
  if (at === 0 && tag !== undefined && tag !== TAG.sequence) throw unsound();
  if (length === undefined) return 2;
  if (length < LONG_LENGTH) return 2 + length;
  const count = length - LONG_LENGTH;
  if (count === 0 || count > MOST_LENGTH_BYTES) throw unsound();
  if (bytes.length < at + 2 + count) return 2 + count;
  return 2 + count + bytes.readUIntBE(at + 2, count);
}

/**
 * An answer is as RFC 4511 says it is, as far as it is read: the library looks for what is not there as long as it is not there.
 *
 * @param message a whole one @throws ConnectorError `protocol`
 */
export function requireSoundMessage(message: Buffer): void {
  const [whole] = elementsOf(message, { from: 0, to: message.length });
  const [id, operation, controls, more] = whole === undefined ? [] : elementsOf(message, whole);
  requireTag(id, TAG.integer);
  if (operation === undefined || more !== undefined) throw unsound();
  if (controls !== undefined) requireControls(message, controls);
  const parts = () => elementsOf(message, operation);
  if (operation.tag === TAG.searchEntry) requireEntry(message, parts());
  else if (operation.tag === TAG.searchReference) requireAll(parts(), TAG.octets);
  else if (RESULTS.has(operation.tag)) requireResult(message, parts());
}

function requireEntry(message: Buffer, [name, attributes, more]: readonly Element[]): void {
  requireTag(name, TAG.octets);
  requireTag(attributes, TAG.sequence);
  if (attributes === undefined || more !== undefined) throw unsound();
  for (const attribute of elementsOf(message, attributes)) {
    requireTag(attribute, TAG.sequence);
    const [type, values, further] = elementsOf(message, attribute);
    requireTag(type, TAG.octets);
    requireTag(values, TAG.set);
    if (values === undefined || further !== undefined) throw unsound();
    requireAll(elementsOf(message, values), TAG.octets);
  }
}

function requireResult(message: Buffer, [code, matched, words, ...others]: readonly Element[]): void {
  requireTag(code, TAG.enumerated);
  requireTag(matched, TAG.octets);
  requireTag(words, TAG.octets);
  for (const other of others) {
    if (other.tag === TAG.referral) requireAll(elementsOf(message, other), TAG.octets);
  }
}

function requireControls(message: Buffer, controls: Element): void {
  requireTag(controls, TAG.controls);
  for (const control of elementsOf(message, controls)) {
    requireTag(control, TAG.sequence);
    const [type, ...others] = elementsOf(message, control);
    requireTag(type, TAG.octets);
    const isSound = others.every(({ tag }) => tag === TAG.boolean || tag === TAG.octets);
    if (!isSound || others.length > 2) throw unsound();
  }
}

function requireAll(elements: readonly Element[], tag: number): void {
  for (const element of elements) requireTag(element, tag);
}

function requireTag(element: Element | undefined, tag: number): void {
  if (element?.tag !== tag) throw unsound();
}

/** What stands in an element, which it has to fill. */
function elementsOf(
  message: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Element[] {
  const elements: Element[] = [];
  for (let at = from; at < to; ) {
    const end = at + bytesOfElement(message, at);
    const length = message[at + 1] ?? 0;
    const body = at + 2 + (length < LONG_LENGTH ? 0 : length - LONG_LENGTH);
    if (end > to || body > end) throw unsound();
    elements.push({ tag: message[at] ?? 0, from: body, to: end });
    at = end;
  }
  return elements;
}

function unsound(): ConnectorError {
  return new ConnectorError('protocol', 'What was answered is no LDAP');
}
