import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from '../test/helpers/cli.ts'

/** A place for a database that is soon full, and that can be given more room while it is in use. */
export interface SmallDisk {
  folder: string
  /** The command line whose servers feel the limit. */
  limited(cli: Cli): Cli
  /** Takes the last bytes: from now on not even one page can be written. */
  fill(pid: number): void
  /** Makes room for the server of this process. */
  grow(pid: number): void
  remove(): void
}

const megabyte = 1024 * 1024
const bin = join(import.meta.dirname, '../bin/tillgate.js')

/** A file system of its own in memory: the real thing, which only root may mount. Null where it cannot be had. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  return {
    folder,
    limited: cli => cli,
    fill: () => fillUp(join(folder, 'filler')),
    grow: () => execFileSync('mount', ['-o', `remount,size=${megabytes * 16}m`, folder]),
    remove() {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function fillUp(file: string): void {
  for (const size of [65_536, 4096, 512]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch {
      // Full, but for less than this.
    }
  }
}

/** A limit on the size of any file of the process, which anybody may set. */
export function limitFileSize(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-disk-'))
  return {
    folder,
    limited: cli => ({
      ...cli,
      start(args, env) {
        // Ignored, the signal leaves a failed write, as a full disk does. In blocks of 512 bytes.
        const script = `trap '' XFSZ; ulimit -S -f ${(megabytes * megabyte) / 512}; exec "$0" "$@"`
        return spawn('/bin/sh', ['-c', script, process.execPath, bin, ...args], {
          cwd: cli.folder,
          env: { PATH: process.env['PATH'], TILLGATE_DATABASE: cli.database, ...env },
        })
      },
    }),
    fill: pid => execFileSync('prlimit', ['--pid', String(pid), '--fsize=1:']),
    grow: pid => execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
