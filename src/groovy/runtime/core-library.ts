/**
 * What every script finds in place: what operators, texts and conditions do with values, and what the host needs. All
 * else is loaded for the scripts that name it; `library.ts` lists it.
 */
import './methods/object-methods.ts';
import './methods/collection-methods.ts';
import './methods/list-methods.ts';
import './methods/set-methods.ts';
import './methods/map-methods.ts';
import './methods/text-methods.ts';
import './methods/number-methods.ts';
import './methods/enum-methods.ts';
import './core-classes.ts';
import './methods/regex-methods.ts';
import './statics/exception-statics.ts';
import './host-object.ts';
