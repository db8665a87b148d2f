#!/usr/bin/env node
// Starts the command line. Older versions of Node must be able to read this file, so it has no static import of
// anything newer than Node 20.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const oldest = 24
const source = new URL('../src/cli.ts', import.meta.url)
const compiled = new URL('../dist/cli.js', import.meta.url)
/** A clone runs its source; the npm package has only the compiled files. */
const isClone = existsSync(source)

/**
 * Semi-spaces have the size that the process starts with. With 4 MB instead of 32, 10,000 waiting requests take 100 MB
 * less (docs/performance.md).
 */
const flags = ['serve', 'demo'].includes(process.argv[2] ?? '') ? ['--max-semi-space-size=4'] : []

if (major(process.versions.node) >= oldest) {
  if (mustRestart()) {
    const args = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]
    process.execve?.(process.execPath, args)
  }
  // Halves the start of every command after the first.
  module.enableCompileCache()
  const { main } = await import((isClone ? source : compiled).href)
  await main(process.argv)
} else {
  const newer = dependencyNode()
  if (newer === null) {
    const advice = isClone ? 'Run "npm ci" to get it.' : 'Install it from https://nodejs.org.'
    console.error(`tillgate needs Node ${oldest} or newer; this is ${process.version}. ${advice}`)
    process.exit(1)
  }
  const child = spawn(newer, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' })
  // The child ignores a repeated signal: it has this one already when the whole process group was signalled.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}

/** Whether the flags are missing and can be given. A process with a channel to its parent would lose it. */
function mustRestart() {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ')
  return flags.length > 0 && !/semi[-_]space/.test(given) && !process.channel && process.platform !== 'win32'
}

/** @param {string} version */
function major(version) {
  return Number.parseInt(version, 10)
}

/** The Node that `npm ci` installs as a development dependency, unless it is missing or too old. */
function dependencyNode() {
  try {
    const require = module.createRequire(import.meta.url)
    const manifest = require.resolve('node/package.json')
    const file = join(dirname(manifest), 'bin/node')
    return major(require(manifest).version) >= oldest && existsSync(file) ? file : null
  } catch {
    return null
  }
}
