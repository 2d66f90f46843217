import { BadRequestError } from '#errors/index.ts';

export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

const NEWEST: ApiVersion = { major: 2, minor: 1 };
const PART = /^\s*(protocol|resource)\s*=\s*(\d+)(?:\.(\d+))?\s*$/i;

/**
 * `Accept-API-Version: protocol=2.1,resource=1.0`: the protocol version that the client speaks, 2.1 by default.
 *
 * @throws BadRequestError when it cannot be read or asks for a newer protocol
 */
export function readProtocolVersion(header: string | undefined): ApiVersion {
  if (header === undefined || header.trim() === '') return NEWEST;
  let protocol = NEWEST;
  const seen = new Set<string>();
  for (const part of header.split(',')) {
    const [, name, major, minor] = PART.exec(part) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || seen.has(key)) {
      throw new BadRequestError(`Accept-API-Version is '${header}'`, {
        id: 'HTTP_API_VERSION',
        hint: "Such as 'protocol=2.1,resource=1.0'",
      });
    }
    seen.add(key);
    if (key === 'protocol') protocol = { major: Number(major), minor: Number(minor ?? 0) };
  }
  if (protocol.major > NEWEST.major || (protocol.major === NEWEST.major && protocol.minor > NEWEST.minor)) {
    throw new BadRequestError(`Protocol version ${protocol.major}.${protocol.minor} is not supported`, {
      id: 'HTTP_API_VERSION',
      hint: `The newest is ${NEWEST.major}.${NEWEST.minor}`,
    });
  }
  return protocol;
}

export function isAtLeast(version: ApiVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}
