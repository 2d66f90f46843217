import { checkConfig, overlayFlags, readSettings } from '#config/index.ts';
import { formatFinding } from '#errors/index.ts';
import { type Command, EXIT } from './command.ts';
import { settingsHelp, settingsOptions } from './settings-flags.ts';

/** `svc config-check`: finds the mistakes in `conf/` without starting anything. */
export const configCheck: Command = {
  name: 'config-check',
  summary: 'check the configuration files without starting',
  help: `
Prints every mistake with file, line and column, and what will be warned of. Exits 1 when there is a mistake.

${settingsHelp}

Example: svc config-check --project /etc/svc
`,
  options: settingsOptions,

  async run(flags) {
    const settings = readSettings(process.env, flags);
    const findings = await checkConfig(settings.projectLocation, {
      settings,
      environment: overlayFlags(process.env, flags),
      report: (said) => {
        if (said.kind === 'config.warned') console.log(`Warning: ${said.message}`);
      },
    });
    for (const finding of findings) console.log(formatFinding(finding));
    console.log(findings.length === 0 ? 'No mistakes found.' : `${findings.length} found.`);
    return findings.length === 0 ? EXIT.OK : EXIT.FINDING;
  },
};
