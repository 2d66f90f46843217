import { millis } from '../arguments.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { formatDate, parseDate } from './date-pattern.ts';
import { JavaDate } from './java-date.ts';
import { defaultZone } from './zone.ts';

/** A date that is written as databases write one. */
class Timestamp extends JavaDate {
  override readonly type: JavaClass = classNamed('java.sql.Timestamp');

  override toText(): string {
    const fraction = String(((this.ms % 1000) + 1000) % 1000).padStart(3, '0');
    const kept = fraction.replace(/0+$/, '');
    return `${formatDate(this.ms, 'yyyy-MM-dd HH:mm:ss', defaultZone())}.${kept === '' ? '0' : kept}`;
  }
}

function parse(text: string): Timestamp {
  const [, whole, fraction = '0'] =
    /^(\d{4}-\d\d?-\d\d? \d\d?:\d\d?:\d\d?)(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) throw illegalArgument('Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]');
  const ms = Math.floor(Number(`0.${fraction}`) * 1000 + 1e-6);
  return new Timestamp(parseDate(whole, 'yyyy-MM-dd HH:mm:ss', defaultZone()) + ms);
}

defineMethods('java.sql.Timestamp', 'java.util.Date', {
  'toString/0': (self: Timestamp) => self.toText(),
});
defineStatics('java.sql.Timestamp', {
  'new/1': (ms: unknown) => new Timestamp(millis(ms)),
  'valueOf/1': (text: unknown) => parse(toText(text)),
});
