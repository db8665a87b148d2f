// Compiles client/src/ to client/dist/ for the npm package tillgate-client, with declarations.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
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

rmSync(join(client, 'dist'), { recursive: true, force: true })
execFileSync('tsc', ['-p', client, ...output], { stdio: 'inherit' })
