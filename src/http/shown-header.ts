/**
 * Headers that may hold a secret, by their name: those of this server, and those of any other that its clients still
 * send. They are shown neither to scripts nor in the audit.
 */
const SECRET = /passw|token|secret|authori[sz]ation|credential|cookie|key/i;

export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}
