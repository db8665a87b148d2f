// Compiles src/ to dist/ for the npm package: Node does not strip types from files under node_modules.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit' })
// Migrations, stylesheets, browser scripts and icons.
cpSync('src', 'dist', { recursive: true, filter: name => !name.endsWith('.ts') })
