import type { Command } from 'commander'
import { printable } from '../lib/printable.ts'
import type { Check } from './doctor/check.ts'
import { print } from './shared/output.ts'

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this deployment and say how to fix what is wrong; changes nothing')
    .option('--thorough', 'also check every index entry of the database, which takes longer')
    .option('--json', 'print the checks as JSON')
    .action(async ({ json, thorough = false }: { json?: boolean; thorough?: boolean }) => {
      const { examineDeployment } = await import('./doctor/examine.ts')
      const checks = await examineDeployment(thorough)
      const ok = checks.every(({ state }) => state !== 'problem')
      print(json, { ok, checks }, checks.map(toText).join('\n'))
      // Scripts look at the exit code.
      if (!ok) process.exitCode = 1
    })
}

const labels = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' }

const toText = ({ name, state, message, remedy }: Check): string =>
  `${labels[state]}  ${name}: ${printable(message)}${remedy === null ? '' : `\n         → ${printable(remedy)}`}`
