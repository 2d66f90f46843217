import { checkParts, findAccessMistakes, findOpenProcesses, findScheduleMistakes } from '#app/check-parts.ts';
import {
  ConfigStore,
  checkConfig,
  type Environment,
  overlayFlags,
  readSettings,
  type Settings,
} from '#config/index.ts';
import { type Finding, formatFinding } from '#errors/index.ts';
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
    const environment = overlayFlags(process.env, flags);
    const inFiles = await checkConfig(settings.projectLocation, {
      settings,
      environment,
      report: (said) => {
        if (said.kind === 'config.warned') console.log(`Warning: ${said.message}`);
      },
    });
    const findings = [...inFiles, ...(inFiles.length > 0 ? [] : await findMistakes(settings, environment))];
    for (const finding of findings) console.log(formatFinding(finding));
    console.log(findings.length === 0 ? 'No mistakes found.' : `${findings.length} found.`);
    return findings.length === 0 ? EXIT.OK : EXIT.FINDING;
  },
};

/** Beyond those in the files themselves; what is doubtful is printed where there are none. */
async function findMistakes(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const config = await ConfigStore.open({ settings, environment, report: () => {} });
  const { mistakes, doubts } = checkParts(config, settings.projectLocation);
  const all = [...mistakes, ...findScheduleMistakes(config), ...findAccessMistakes(settings.projectLocation)];
  const open = await findOpenProcesses(config, settings.projectLocation);
  if (all.length === 0) for (const doubt of [...doubts, ...open]) console.log(`Warning: ${doubt}`);
  return all;
}
