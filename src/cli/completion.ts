import { type Command, EXIT } from './command.ts';
import { complain } from './typed-name.ts';

/** Each asks `svc __complete`, with the words before the cursor and the one that is being typed, for a word a line. */
const SHELLS: Readonly<Record<string, string>> = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _svc svc`,
  zsh: `#compdef svc
_svc() {
  local -a found
  found=(\${(f)"$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _svc svc`,
  fish: `complete -c svc -a '(svc __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

/** `svc completion bash|zsh|fish` */
export const completion: Command = {
  name: 'completion',
  summary: 'print what has a shell complete commands',
  help: `
The words come from svc itself, so that they are those of this version.

Example: source <(svc completion bash)
         svc completion zsh > ~/.zfunc/_svc
         svc completion fish > ~/.config/fish/completions/svc.fish
`,
  options: {},
  arguments: ['bash|zsh|fish'],
  run: async (_flags, [shell = '']) => {
    if (!Object.hasOwn(SHELLS, shell)) {
      complain("svc completion: expected 'svc completion bash', 'zsh' or 'fish'");
      return EXIT.USAGE;
    }
    console.log(SHELLS[shell]);
    return EXIT.OK;
  },
};
