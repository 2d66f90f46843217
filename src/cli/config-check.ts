import { addChecks } from '#app/checks.ts';
import { ConfigStore, misspeltVariables, overlayFlags, readSettings } from '#config/index.ts';
import { type Finding, formatFinding } from '#errors/index.ts';
import { findAccessMistakes } from '#security/index.ts';
import { findOpenProcesses, findProcessMistakes } from '#workflow/index.ts';
import { type Command, EXIT } from './command.ts';
import { printable } from './printable.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { isTold, tell, toldHelp, toldOptions } from './told.ts';

/** `svc config-check`: says what a node would make of the project, without starting anything. */
export const configCheck: Command = {
  name: 'config-check',
  summary: 'check the configuration files without starting',
  help: `
Prints every mistake with file, line and column, and what will be warned of: files, scripts, processes, schedules. Exits 1
when there is a mistake.

${toldHelp}

As JSON it is {"ok", "mistakes", "warnings", "findings": [{"severity", "id", "file", "line", "column", "message", "hint"}]}

${projectHelp()}

Example: svc config-check --project /etc/svc
`,
  options: { ...settingsOptions, ...toldOptions },

  async run({ json, output, ...flags }) {
    const form = { json, output };
    const isLines = isTold(form) === 'lines';
    const settings = readSettings(process.env, flags);
    const environment = overlayFlags(process.env, flags);
    const warnings: Finding[] = [];
    const warn = (finding: Finding, message = finding.message) => {
      warnings.push(finding);
      if (isLines) console.log(printable(`Warning: ${message}`));
    };
    const config = await ConfigStore.inspect({
      settings,
      environment,
      report: (said) => {
        if (said.kind !== 'config.warned') return;
        const { message, finding = { id: 'CONFIG_WARNING', where: '', message } } = said;
        warn(finding, message);
      },
    });
    for (const message of misspeltVariables(process.env)) warn({ id: 'UNKNOWN_SETTING', where: '', message });
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
    tell(form, asJson(mistakes, warnings), () =>
      inLines(mistakes, [...processes.warnings.map(formatFinding), ...open]),
    );
    return mistakes.length === 0 ? EXIT.OK : EXIT.FINDING;
  },
};

function inLines(mistakes: readonly Finding[], warnings: readonly string[]): string {
  const count = mistakes.length;
  const said = count === 0 ? 'No mistakes' : count === 1 ? '1 mistake' : `${count} mistakes`;
  const told = warnings.map((warning) => `Warning: ${warning}`);
  return [...told, ...mistakes.map(formatFinding), `${said} found.`].join('\n');
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
