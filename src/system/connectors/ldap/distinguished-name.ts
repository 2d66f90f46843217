/** One part of the first step of a name: `uid=dora`. */
export interface NamePart {
  readonly attribute: string;
  readonly value: string;
}

/** What the first step of a distinguished name (RFC 4514) says of the entry itself. */
export function firstParts(name: string): readonly NamePart[] {
  return split(split(name, ',')[0] ?? '', '+').flatMap((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [] : [{ attribute: part.slice(0, at).trim(), value: unescaped(part.slice(at + 1)) }];
  });
}

/** The name of the entry above. */
export function nameAbove(name: string): string {
  return split(name, ',').slice(1).join(',');
}

/** Whether both name the same entry as far as letters say so. */
export function isSameName(one: string, other: string): boolean {
  const plain = (name: string) =>
    split(name, ',')
      .map((step) => plainStep(unescaped(step).toLowerCase()))
      .join('\0');
  return plain(one) === plain(other);
}

/** A step without the blanks around the sign that ends the name of the attribute. */
function plainStep(step: string): string {
  const at = step.indexOf('=');
  return at < 0 ? step : `${step.slice(0, at).trimEnd()}=${step.slice(at + 1).trimStart()}`;
}

/** Whether a name stands below another, or is it. */
export function isBelowName(name: string, above: string): boolean {
  const [steps, ofAbove] = [split(name, ','), split(above, ',')];
  return steps.length >= ofAbove.length && isSameName(steps.slice(-ofAbove.length).join(','), above);
}

/** At separators that are neither escaped nor inside of quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (letter === '\\') {
      part += letter + (text[at + 1] ?? '');
      at += 1;
    } else if (letter === separator) {
      parts.push(part);
      part = '';
    } else part += letter;
  }
  return [...parts, part];
}

/** The names without those that are below another: they are found with that. */
export function outermost(names: readonly string[]): readonly string[] {
  return names.filter(
    (name, at) =>
      !names.some(
        (other, place) =>
          place !== at && isBelowName(name, other) && !(isSameName(name, other) && at < place),
      ),
  );
}

/** Around a value; one that is escaped is part of it. */
function withoutBlanks(value: string): string {
  const text = value.trimStart();
  const end = text.trimEnd();
  return end.endsWith('\\') ? text.slice(0, end.length + 1) : end;
}

function unescaped(value: string): string {
  const trimmed = withoutBlanks(value);
  const bytes: Buffer[] = [];
  for (let at = 0; at < trimmed.length; at++) {
    const hex = trimmed[at] === '\\' ? /^[0-9a-f]{2}/i.exec(trimmed.slice(at + 1))?.[0] : undefined;
    if (hex !== undefined) {
      bytes.push(Buffer.from(hex, 'hex'));
      at += 2;
    } else {
      if (trimmed[at] === '\\') at += 1;
      const point = trimmed.codePointAt(at);
      if (point === undefined) continue;
      const letter = String.fromCodePoint(point);
      bytes.push(Buffer.from(letter));
      at += letter.length - 1;
    }
  }
  return Buffer.concat(bytes).toString('utf8');
}
