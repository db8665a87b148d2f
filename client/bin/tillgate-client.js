#!/usr/bin/env node
// Starts the command line: the compiled one of the npm package, or on Node 24 the source of a clone.
import { existsSync } from 'node:fs'

const source = new URL('../src/cli.ts', import.meta.url)
const compiled = new URL('../dist/cli.js', import.meta.url)
const runsSource = existsSync(source) && Number.parseInt(process.versions.node, 10) >= 24

if (!runsSource && !existsSync(compiled)) {
  console.error(
    `tillgate-client: a clone needs Node 24, which "npx tillgate-client" uses; this is ${process.version}`,
  )
  process.exitCode = 1
} else {
  const { main } = await import((runsSource ? source : compiled).href)
  await main(process.argv.slice(2))
}
