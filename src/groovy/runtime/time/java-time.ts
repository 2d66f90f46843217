/** java.time: dates, clocks and moments, spans of time, their formats and units. */
import './zone-methods.ts';
import './amount-methods.ts';
import './temporal-adjusters.ts';
import './temporal-methods.ts';
import './temporal-conversions.ts';
import './temporal-statics.ts';
import './year-month.ts';
import './formatter-methods.ts';
