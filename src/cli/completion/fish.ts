import type { CommandWords, OptionWords, Value } from './tree.ts'

export const fishScript = (
  commands: readonly CommandWords[],
): string => `# Completes tillgate in fish. To load it now:
#   tillgate completion fish | source
# In every shell: tillgate completion fish > ~/.config/fish/completions/tillgate.fish
function __tillgate_at
    set -l at tillgate
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quote(path))
              .join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c tillgate -f
${commands.flatMap(linesOf).join('\n')}
`

function linesOf({ path, subcommands, options, argument }: CommandWords): string[] {
  const line = (rest: string) => `complete -c tillgate -n ${quote(`__tillgate_at ${path}`)} ${rest}`
  return [
    ...subcommands.map(({ name, description }) => line(`-a ${name} -d ${quote(description)}`)),
    ...(argument === null || argument === 'text' ? [] : [line(offer(argument))]),
    ...options.map(option => line(optionFlags(option))),
  ]
}

function optionFlags({ flags, description, value }: OptionWords): string {
  const names = flags.map(flag => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const needed = value === null ? [] : ['-r', offer(value)]
  return [...names, ...needed, `-d ${quote(description)}`].filter(part => part !== '').join(' ')
}

function offer(value: Value): string {
  if (value === 'text') return '-f'
  return value === 'path' ? '-F' : `-f -a ${quote(value.join(' '))}`
}

/** In single quotes of fish, a backslash escapes itself and the quote. */
const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
