import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { readInput, readText, textOf } from './connection.ts';
import { jsonOf } from './content.ts';
import { isTable, say } from './output.ts';
import type { Asked } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs } from './verb.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript'],
  ['groovy', 'groovy'],
]);

/** `svc script eval|check` */
export const script = commandOfVerbs({
  name: 'script',
  summary: 'try a script at a node, and have it say which do not compile',
  verbs: {
    eval: {
      does: 'run a script; nothing is kept without --real',
      flags: {
        file: { value: '<file>', short: 'f', does: '.js or .groovy; - is the input' },
        expression: { value: '<text>', short: 'e', does: 'the script itself' },
        groovy: { does: 'it is Groovy, whatever the file is called' },
        bind: { value: '<json>', does: `variables, such as '{"n": 3}'` },
        real: { does: 'keeps what it changes' },
      },
      example: `svc script eval -e "svc.query('managed/user', {_queryFilter: 'true'}).resultCount"`,
      async run(asked) {
        const { client, flags, form } = asked;
        const given = textOf(flags, 'bind');
        const bindings = given === undefined ? {} : jsonOf(given, '--bind');
        const answer = await client.resource('script').action('eval', {
          body: { ...scriptOf(asked), globals: bindings },
          dryRun: flags['real'] !== true,
        });
        if ('dryRun' in Object(answer) && isTable(form)) say(`→ ${JSON.stringify(Object(answer).result)}`);
        showAnswer(answer, form);
      },
    },
    check: {
      does: 'scripts in a file or a folder; ends with 1 when one does not compile',
      takes: ['[<folder>]'],
      example: 'svc script check script/',
      async run({ client }, place = 'script') {
        let wrong = 0;
        const files = scriptsIn(place);
        for (const file of files) {
          const body = { type: TYPES.get(endingOf(file)), source: readText(file, 'check') };
          try {
            await client.resource('script').action('compile', { body });
          } catch (error) {
            if (!(error instanceof SvcError) || error.code >= 500 || error.code === 401 || error.code === 403)
              throw error;
            wrong += 1;
            say(`✗ ${file}  ${error.message}`);
          }
        }
        say(
          `${files.length === 1 ? '1 script' : `${files.length} scripts`}, ${wrong === 0 ? 'all of them compile' : `${wrong} with a mistake`}`,
        );
        return wrong === 0 ? EXIT.OK : EXIT.FINDING;
      },
    },
  },
});

function scriptOf({ flags }: Asked): { type: string; source: string } {
  const [file, expression] = [textOf(flags, 'file'), textOf(flags, 'expression')];
  if ((file === undefined) === (expression === undefined))
    throw new UsageError('expected -f <file> or -e <text>');
  const isGroovy = flags['groovy'] === true || file?.endsWith('.groovy') === true;
  const source = expression ?? (file === undefined || file === '-' ? readInput() : readText(file, '-f'));
  return { type: isGroovy ? 'groovy' : 'text/javascript', source };
}

function scriptsIn(place: string): readonly string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(place).isDirectory();
  } catch {
    throw new UsageError(`there is no file or folder '${place}'`);
  }
  const files = isFolder
    ? readdirSync(place, { recursive: true, encoding: 'utf8' }).map((file) => join(place, file))
    : [place];
  const scripts = files.filter((file) => TYPES.has(endingOf(file)));
  if (scripts.length === 0) throw new UsageError(`there is no script in '${place}'`);
  return scripts.sort();
}

function endingOf(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1] ?? '';
}
