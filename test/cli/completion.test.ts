import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createCli } from '../helpers/cli.ts'

const cli = await createCli()
after(cli.remove)

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]
const fileOf = (shell: Shell) => join(cli.folder, `completion.${shell}`)
const missing = (shell: Shell) =>
  spawnSync(shell, ['--version']).error !== undefined && `${shell} is not installed`

before(async () => {
  for (const shell of shells) {
    const { code, stdout, stderr } = await cli.run(['completion', shell])
    assert.deepEqual([code, stderr], [0, ''])
    writeFileSync(fileOf(shell), stdout)
  }
})

/** What the shell offers for this line, whose last word is completed. */
const offers: Record<Shell, (line: string) => Promise<string[]>> = {
  async bash(line) {
    const words = line.split(' ')
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tillgate; printf '%s\\n' "\${COMPREPLY[@]}"`
    return run('bash', ['--norc', '-c', script, 'bash', fileOf('bash'), ...words])
  },
  async zsh(line) {
    // Without its line editor: the functions that offer words print them instead.
    const script = `compdef() { : }; compadd() { shift; print -rl -- "$@" }; _files() { print FILES }
      _describe() { local -a found=("\${(@P)4}"); print -rl -- "\${found[@]%%:*}" }
      source "$1"; shift; words=("$@"); CURRENT=$#; PREFIX="\${@[-1]}"; _tillgate`
    const all = await run('zsh', ['-f', '-c', script, 'zsh', fileOf('zsh'), ...line.split(' ')])
    return all.filter(word => word.startsWith(line.split(' ').at(-1) ?? ''))
  },
  async fish(line) {
    const script = 'source $argv[1]; complete -C $argv[2]'
    const found = await run('fish', ['--no-config', '-c', script, fileOf('fish'), line])
    return found.map(word => word.split('\t')[0] ?? '')
  },
}

async function run(command: string, args: string[]): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: cli.folder })
  assert.equal(stderr, '')
  return stdout.split('\n').filter(Boolean)
}

for (const shell of shells) {
  describe(`the script for ${shell}`, { skip: missing(shell) }, () => {
    test('has correct syntax', async () => {
      await run(shell, ['-n', fileOf(shell)])
    })

    test('offers commands, their commands, options and choices', async () => {
      const offered = async (line: string) => (await offers[shell](line)).sort()
      assert.deepEqual(await offered('tillgate re'), ['restore'])
      assert.deepEqual(await offered('tillgate app s'), ['show'])
      assert.deepEqual(await offered('tillgate app create --pu'), ['--public', '--publisher'])
      assert.deepEqual(await offered('tillgate account create --role '), [
        'developer',
        'merchant',
        'operator',
      ])
      assert.deepEqual(await offered('tillgate account create --email a@b.example --role m'), ['merchant'])
      assert.deepEqual(await offered('tillgate completion z'), ['zsh'])
      assert.deepEqual(await offered('tillgate app create --name '), [])
      assert.deepEqual(await offered('tillgate nothing --j'), [])
    })

    test('has every command and every option of the help', async () => {
      const { stdout } = await cli.run(['--help'])
      const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name)
      const offered = await offers[shell]('tillgate ')
      assert.ok(names.length > 10)
      for (const name of names) if (name !== 'help') assert.ok(offered.includes(name), name)
      const options = (await cli.run(['app', 'update', '--help'])).stdout.matchAll(/(--[a-z-]+)/g)
      const offeredOptions = await offers[shell]('tillgate app update --')
      for (const [option] of options) assert.ok(offeredOptions.includes(option), option)
    })
  })
}
