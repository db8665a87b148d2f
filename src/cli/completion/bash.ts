import { type CommandWords, quote, type Value } from './tree.ts'

export const bashScript = (
  commands: readonly CommandWords[],
): string => `# Completes tillgate in bash. To load it now:
#   source <(tillgate completion bash)
# In every shell: add that line to ~/.bashrc.
_tillgate() {
  local at=tillgate current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words='' paths='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${commands.slice(1).map(toStep).join('\n')}
    esac
  done
  case "$at $before" in
${commands.flatMap(valuesOf).join('\n')}
    *)
      case "$at" in
${commands.map(wordsOf).join('\n')}
      esac
      ;;
  esac
  # The option "default" completes paths where there are no words.
  if [[ -z $paths ]]; then compopt +o default 2>/dev/null; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tillgate tillgate
`

const toStep = ({ path }: CommandWords): string => `      ${quote(path)}) at=${quote(path)} ;;`

const valuesOf = ({ path, options }: CommandWords): string[] =>
  options.flatMap(({ flags, value }) =>
    value === null ? [] : flags.map(flag => `    ${quote(`${path} ${flag}`)}) ${assignment(value)} ;;`),
  )

function wordsOf({ path, subcommands, options, argument }: CommandWords): string {
  const names = subcommands.map(({ name }) => name)
  const flags = options.map(({ flags: [long] }) => long)
  const choices = Array.isArray(argument) ? argument : []
  // Where a path is expected, the options are offered behind a dash alone.
  const words = `words=${quote([...names, ...choices, ...flags].join(' '))}`
  const paths = `if [[ $current == -* ]]; then ${words}; else paths=yes; fi`
  return `        ${quote(path)}) ${argument === 'path' ? paths : words} ;;`
}

const assignment = (value: Value): string =>
  typeof value === 'string' ? (value === 'path' ? 'paths=yes' : ':') : `words=${quote(value.join(' '))}`
