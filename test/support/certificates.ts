import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** X.509 as DER, just enough of it for an authority and whom it vouches for: Node reads certificates and makes none. */
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const time = (at: Date) =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`, 'latin1'));
const name = (common: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common)))));
const extension = (id: string, content: Uint8Array) => sequence(oid(id), der(0x04, content));
const pem = (label: string, content: Buffer) =>
  `-----BEGIN ${label}-----\n${content.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const DAY_MS = 86_400_000;

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** An authority that nobody knows, and the certificates that it gives: for an hour or a day of tests. */
export function certificateAuthority(): { certificate: string; issue(common: string): Certificate } {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = `authority ${randomBytes(4).toString('hex')}`;
  const certify = (common: string, publicKey: KeyObject, extensions: Uint8Array) => {
    const now = Date.now();
    const content = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      ECDSA_SHA256,
      name(authority),
      sequence(time(new Date(now - DAY_MS)), time(new Date(now + DAY_MS))),
      name(common),
      publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(extensions)),
    );
    return pem('CERTIFICATE', sequence(content, ECDSA_SHA256, bits(sign('sha256', content, own.privateKey))));
  };
  const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));
  return {
    certificate: certify(authority, own.publicKey, isAuthority),
    issue(common) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const isCalled = extension('551d11', sequence(der(0x82, Buffer.from(common))));
      return {
        certificate: certify(common, publicKey, isCalled),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}
