import { addChecks } from '#app/checks.ts';
import { ConfigStore, overlayFlags, readSettings } from '#config/index.ts';
import { type Finding, formatFinding } from '#errors/index.ts';
import { findAccessMistakes } from '#security/index.ts';
import { findOpenProcesses, findProcessMistakes } from '#workflow/index.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';

/** `svc config-check`: says what a node would make of the project, without starting anything. */
export const configCheck: Command = {
  name: 'config-check',
  summary: 'check the configuration files without starting',
  help: `
Prints every mistake with file, line and column, and what will be warned of: files, scripts, processes, schedules. Exits 1
when there is a mistake.

  --json   as JSON: {"ok", "mistakes", "warnings", "findings": [{"severity", "id", "file", "line", "column", "message", "hint"}]}

${projectHelp()}

Example: svc config-check --project /etc/svc
`,
  options: { ...settingsOptions, json: { type: 'boolean' } },

  async run({ json, ...flags }) {
    const settings = readSettings(process.env, flags);
    const environment = overlayFlags(process.env, flags);
    const warnings: Finding[] = [];
    const config = await ConfigStore.inspect({
      settings,
      environment,
      report: (said) => {
        if (said.kind !== 'config.warned') return;
        const { message, finding = { id: 'CONFIG_WARNING', where: '', message } } = said;
        warnings.push(finding);
        if (json !== true) console.log(`Warning: ${message}`);
      },
    });
    addChecks(config, settings.projectLocation);
    const processes = await findProcessMistakes(config, settings.projectLocation);
    const mistakes = [
      ...(await config.checkAll()).flatMap(({ findings }) => findings),
      ...findAccessMistakes(settings.projectLocation),
      ...processes.mistakes,
    ];
    const open = await findOpenProcesses(config, settings.projectLocation);
    warnings.push(
      ...processes.warnings,
      ...open.map((message) => ({ id: 'WORKFLOW_OPEN', where: '', message })),
    );
    if (json === true) console.log(JSON.stringify(asJson(mistakes, warnings), null, 2));
    else print(mistakes, [...processes.warnings.map(formatFinding), ...open]);
    return mistakes.length === 0 ? EXIT.OK : EXIT.FINDING;
  },
};

function print(mistakes: readonly Finding[], warnings: readonly string[]): void {
  for (const warning of warnings) console.log(`Warning: ${warning}`);
  for (const mistake of mistakes) console.log(formatFinding(mistake));
  const count = mistakes.length;
  if (count === 0) console.log('No mistakes found.');
  else console.log(count === 1 ? '1 mistake found.' : `${count} mistakes found.`);
}

/** The shape is documented, and pipelines rely on it. */
function asJson(mistakes: readonly Finding[], warnings: readonly Finding[]) {
  const shown = (severity: 'mistake' | 'warning') => (finding: Finding) => ({
    severity,
    id: finding.id,
    ...placeOf(finding.where),
    message: finding.message,
    hint: finding.hint ?? null,
  });
  return {
    ok: mistakes.length === 0,
    mistakes: mistakes.length,
    warnings: warnings.length,
    findings: [...mistakes.map(shown('mistake')), ...warnings.map(shown('warning'))],
  };
}

function placeOf(where: string) {
  const [, file = where, line, column] = /^(.*?):(\d+):(\d+)$/.exec(where) ?? [];
  return {
    file: file === '' ? null : file,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
  };
}
