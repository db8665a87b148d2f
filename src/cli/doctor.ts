import type { Command } from 'commander'
import { printable } from '../lib/printable.ts'
import type { Check } from './doctor/check.ts'
import { print } from './run.ts'

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('look at this deployment, and say how to mend what is wrong; changes nothing')
    .option('--thorough', 'check every entry of the database’s indexes too, which takes longer')
    .option('--json', 'print what was looked at as JSON')
    .action(async ({ json, thorough = false }: { json?: boolean; thorough?: boolean }) => {
      const { examineDeployment } = await import('./doctor/examine.ts')
      const checks = await examineDeployment(thorough)
      const ok = checks.every(({ state }) => state !== 'problem')
      print(json, { ok, checks }, checks.map(written).join('\n'))
      // So that a script can tell.
      if (!ok) process.exitCode = 1
    })
}

const signs = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' }

const written = ({ name, state, says, mend }: Check): string =>
  `${signs[state]}  ${name}: ${printable(says)}${mend === null ? '' : `\n         → ${printable(mend)}`}`
