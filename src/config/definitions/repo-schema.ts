import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { jsonObject } from './scalar-schema.ts';

const schema = z.looseObject({ queries: jsonObject().default({}) });

/** `repo.json`: named queries. Everything else it may hold belongs to other kinds of repository. */
export const repoConfig = defineConfig({ id: 'repo', schema });
