/** Secrets: password hashes. Envelopes have the `$crypto` shape everywhere. */
export { hashPassword, matchesPassword } from './password-hash.ts';
