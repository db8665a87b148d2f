// Compiles client/src/ to client/dist/ for the npm package tillgate-client, with declarations. npm runs it when it packs
// the client and when it installs a clone or the client of a clone ("prepare"). It is JavaScript for Node 20.
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const client = join(import.meta.dirname, '../client')
const output = [
  '--noEmit',
  'false',
  '--outDir',
  join(client, 'dist'),
  '--declaration',
  '--rewriteRelativeImportExtensions',
]
const installed = join(import.meta.dirname, '../node_modules')
const isPacked = ['pack', 'publish'].includes(process.env['npm_command'] ?? '')

if (existsSync(join(installed, 'typescript'))) {
  rmSync(join(client, 'dist'), { recursive: true, force: true })
  execFileSync('tsc', ['-p', client, ...output], { stdio: 'inherit' })
} else if (isPacked || !existsSync(installed)) {
  console.error('tillgate-client cannot be compiled: run "npm ci" in the clone first')
  process.exitCode = 1
}
// `npm ci --omit=dev` installs no compiler, and the server does not need the compiled client.
