#!/usr/bin/env node
// Starts the command line: the compiled one of the npm package, or the source of a clone, which needs Node 24.
import { existsSync } from 'node:fs'

const source = new URL('../src/cli.ts', import.meta.url)
const compiled = new URL('../dist/cli.js', import.meta.url)
const isClone = existsSync(source)

if (isClone && Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `tillgate-client: a clone needs Node 24, which "npx tillgate-client" uses; this is ${process.version}`,
  )
  process.exitCode = 1
} else {
  const { main } = await import((isClone ? source : compiled).href)
  await main(process.argv.slice(2))
}
