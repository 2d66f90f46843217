/** Text without what Postgres cannot hold: zero characters, and halves of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
