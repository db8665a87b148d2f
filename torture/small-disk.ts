import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from '../test/helpers/cli.ts'

/** A file system that is soon full, and that can grow while it is in use. */
export interface SmallDisk {
  folder: string
  /** The same command line, with the limit for its servers. */
  limited(cli: Cli): Cli
  /** Uses the last bytes, so that not even one page can be written. */
  fill(pid: number): void
  /** Adds space for the server of this process. */
  grow(pid: number): void
  remove(): void
}

const megabyte = 1024 * 1024
const bin = join(import.meta.dirname, '../bin/tillgate.js')

/** A tmpfs, which only root may mount; null without that right. */
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
      // Full: fewer bytes than this are left.
    }
  }
}

/** A limit on the size of every file of the process, which any user may set. */
export function limitFileSize(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-disk-'))
  return {
    folder,
    limited: cli => ({
      ...cli,
      start(args, env) {
        // With the signal ignored a write fails as on a full disk. The limit counts blocks of 512 bytes.
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
