import { Ber, type BerReader, BerWriter, Control } from 'ldapts';

const TYPE = '1.2.840.113556.1.4.841';
/** The most bytes of one answer. */
const MOST_BYTES = 262_144;

/** Asks Active Directory for what has changed since a cookie; its answer stands in here. */
export class DirSyncControl extends Control {
  cookie: Buffer;
  isMore = false;

  constructor(cookie: Buffer) {
    super(TYPE, { critical: true });
    this.cookie = cookie;
  }

  override writeControl(writer: BerWriter): void {
    const value = new BerWriter();
    value.startSequence();
    value.writeInt(0);
    value.writeInt(MOST_BYTES);
    if (this.cookie.length > 0) value.writeBuffer(this.cookie, Ber.OctetString);
    else value.writeString('');
    value.endSequence();
    // A sequence as it is would have the server end the connection.
    writer.writeBuffer(value.buffer, Ber.OctetString);
  }

  override parseControl(reader: BerReader): void {
    if (reader.readSequence() === null) return;
    this.isMore = (reader.readInt() ?? 0) !== 0;
    reader.readInt();
    this.cookie = reader.readString(Ber.OctetString, true) ?? Buffer.alloc(0);
  }
}
