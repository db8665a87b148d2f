#!/usr/bin/env node
// Starts the CLI on the Node that this package pins: the machine's own may be too old to run TypeScript as it is.
import { spawn } from 'node:child_process'
import { createRequire, enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'

const oldest = 24

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  // Halves the start of every command after the first.
  enableCompileCache()
  const { main } = await import('../src/cli.ts')
  await main(process.argv)
} else {
  let pinned
  try {
    pinned = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node')
  } catch {
    console.error(
      `tillgate needs Node ${oldest} or newer; this is ${process.version}. Run "npm ci" to get it.`,
    )
    process.exit(1)
  }
  const child = spawn(pinned, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
