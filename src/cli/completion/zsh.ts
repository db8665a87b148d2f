import { type CommandWords, quote, type Value } from './tree.ts'

export const zshScript = (commands: readonly CommandWords[]): string => `#compdef tillgate
# Completes tillgate in zsh. To load it now, after compinit:
#   source <(tillgate completion zsh)
# In every shell: add that line to ~/.zshrc.
_tillgate() {
  local at=tillgate word
  local -a subcommands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${commands.slice(1).map(toStep).join('\n')}
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${commands.flatMap(valuesOf).join('\n')}
  esac
  case "$at" in
${commands.map(wordsOf).join('\n')}
  esac
  if (( \${#subcommands} )); then _describe -t commands command subcommands; fi
  if [[ $PREFIX == -* ]]; then _describe -t options option options; fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _tillgate "$@"; else compdef _tillgate tillgate; fi
`

const toStep = ({ path }: CommandWords): string => `      (${quote(path)}) at=${quote(path)} ;;`

const valuesOf = ({ path, options }: CommandWords): string[] =>
  options.flatMap(({ flags, value }) =>
    value === null ? [] : flags.map(flag => `    (${quote(`${path} ${flag}`)}) ${offer(value)} return ;;`),
  )

function wordsOf({ path, subcommands, options, argument }: CommandWords): string {
  const names = subcommands.map(({ name, description }) => described(name, description))
  const flags = options.flatMap(({ flags, description }) => flags.map(flag => described(flag, description)))
  const first = argument === null ? '' : `if [[ $PREFIX != -* ]]; then ${offer(argument)} fi; `
  return `    (${quote(path)}) ${first}subcommands=(${names.join(' ')}) options=(${flags.join(' ')}) ;;`
}

function offer(value: Value): string {
  if (value === 'text') return ':;'
  return value === 'path' ? '_files;' : `compadd -- ${value.map(quote).join(' ')};`
}

/** A colon ends the word. */
const described = (word: string, description: string): string =>
  quote(`${word}:${description.replaceAll(':', '\\:')}`)
