import type { Command, Option } from 'commander'

/** What follows an option or a command: one of these words, a path, or a text that cannot be completed. */
export type Value = readonly string[] | 'path' | 'text'

export interface OptionWords {
  /** The long and the short form. */
  flags: string[]
  description: string
  /** Null for an option without a value. */
  value: Value | null
}

export interface CommandWords {
  /** As typed: `tillgate app create`. */
  path: string
  subcommands: { name: string; description: string }[]
  options: OptionWords[]
  /** The first argument; null when there is none. */
  argument: Value | null
}

/** A command and everything below it, in the order of the help. */
export function allCommands(command: Command, above = ''): CommandWords[] {
  const path = `${above}${command.name()}`
  const help = command.createHelp()
  // Every group has a command `help`, which --help does too.
  const subcommands = help.visibleCommands(command).filter(each => each.name() !== 'help')
  const [argument] = command.registeredArguments
  const own: CommandWords = {
    path,
    subcommands: subcommands.map(each => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).map(toWords),
    argument: argument ? valueOf(argument.name(), argument.argChoices) : null,
  }
  return [own, ...subcommands.flatMap(each => allCommands(each, `${path} `))]
}

const toWords = (option: Option): OptionWords => ({
  flags: [option.long, option.short].filter(flag => typeof flag === 'string'),
  description: option.description,
  value: option.required || option.optional ? valueOf(placeholder(option), option.argChoices) : null,
})

/** `<file>` and `<database>` stand for paths everywhere. */
const valueOf = (name: string, choices: readonly string[] | undefined): Value =>
  choices ?? (['file', 'database'].includes(name) ? 'path' : 'text')

const placeholder = ({ flags }: Option): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''

/** A word or sentence in single quotes, for any of the shells. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
