import { type Command, EXIT } from './command.ts';
import { complain } from './typed-name.ts';

/**
 * Each asks `svc __complete`, with the words before the cursor and the one that is being typed, for a word a line. Among these
 * are ids, which others have chosen: no shell may expand one, and what is put into the line is quoted.
 */
const SHELLS: Readonly<Record<string, string>> = {
  // It takes object:user, and --url=x, for several words, and replaces the last of these.
  bash: `_svc() {
  local word before last=-1
  local -a words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((last >= 0)) && [[ $word == [:=]* || \${words[last]} == *[:=] ]]; then words[last]+=$word
    else words[++last]=$word; fi
  done
  before=\${words[last]%"\${COMP_WORDS[COMP_CWORD]}"}
  [[ \${COMP_WORDS[COMP_CWORD]} == [:=]* ]] && before=\${words[last]}
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$(printf %q "\${word#"$before"}")"); done \\
    < <("\${COMP_WORDS[0]}" __complete "\${words[@]}" 2>/dev/null)
}
complete -o default -F _svc svc svc.js`,
  zsh: `#compdef svc svc.js
_svc() {
  local -a found
  found=(\${(f)"$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc svc.js; fi`,
  fish: "complete -c svc -a '(svc __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'",
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
