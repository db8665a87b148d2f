// Compiles src/ to dist/ for the npm package: Node does not strip types from files under node_modules.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit' })
// Migrations, stylesheets, browser scripts and icons.
cpSync('src', 'dist', { recursive: true, filter: name => !name.endsWith('.ts') })
// The demo's example app, with the client package inside.
await build({
  entryPoints: ['examples/ledger/main.ts'],
  outfile: 'dist/ledger/main.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['tillgate-source'],
})
cpSync('examples/ledger/assets', 'dist/ledger/assets', { recursive: true })
