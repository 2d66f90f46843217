/** Prints a hot statement so that psql explains it with values of its database: see CONTRIBUTING.md. */
import { explanation, HOT, hotStatement } from './support/hot-statements.ts';

const [name = ''] = process.argv.slice(2);
const make = HOT[name];
if (make === undefined) throw new Error(`There is no '${name}' among ${Object.keys(HOT).join(', ')}`);
process.stdout.write(explanation(await hotStatement(make)));
