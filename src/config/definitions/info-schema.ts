import { z } from 'zod';
import { defineConfigFactory } from '../config-definition.ts';
import { scriptReference } from './script-reference-schema.ts';

const schema = scriptReference().extend({ infocontext: z.string().optional() });

/** `info-<name>.json`: the script that answers `/info/<infocontext>`. */
export const infoConfig = defineConfigFactory({ id: 'info', schema });
