import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { unprivileged, watch } from './postgres-server.ts'

/** A real PgBouncer in transaction mode, in front of the PostgreSQL of a URL. */
export interface PgBouncer {
  /** The same database by way of it. */
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Fewer than a node has connections: each connection meets several sessions, and the sessions several connections. */
export const sessionsOfPgBouncer = 3

/** Where `providePgBouncer` unpacks one; kept, so that it is fetched once. */
const unpacked = join(tmpdir(), 'tillgate-test-pgbouncer')

const usualPlaces = [
  '/usr/sbin/pgbouncer',
  '/usr/bin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
  join(unpacked, 'usr/sbin/pgbouncer'),
]

/** The one that PGBOUNCER_PATH names, or one of the usual places. */
export function findPgBouncer(): string | undefined {
  const named = process.env['PGBOUNCER_PATH']
  if (!named) return usualPlaces.find(path => existsSync(path))
  if (existsSync(named)) return named
  throw new Error(`PGBOUNCER_PATH is ${named}, where no file is; set it to a PgBouncer, or unset it`)
}

/** For `{ skip: withoutPgBouncer() }`. */
export const withoutPgBouncer = (): string | false =>
  findPgBouncer() === undefined &&
  'needs PgBouncer: install it ("apt-get install pgbouncer"), or set PGBOUNCER_PATH to the program'

const aptGet = '/usr/bin/apt-get'

/**
 * For the test set-up, before any file runs: fetches Debian's PgBouncer, with the libraries that are missing, where there
 * is none and it can be done. It is unpacked and not installed, because an installed one starts as a service.
 */
export function providePgBouncer(): void {
  if (process.env['PGBOUNCER_PATH'] || findPgBouncer() || process.getuid?.() !== 0 || !existsSync(aptGet))
    return
  process.stderr.write(
    'fetching PgBouncer for the pooler tests (apt-get install --download-only pgbouncer)\n',
  )
  const options = { stdio: 'ignore', timeout: 300_000 } as const
  const archives = mkdtempSync(join(tmpdir(), 'tillgate-pgbouncer-'))
  try {
    mkdirSync(join(archives, 'partial'))
    execFileSync(aptGet, ['update', '-qq'], options)
    const into = ['-o', `Dir::Cache::archives=${archives}`]
    execFileSync(
      aptGet,
      [...into, 'install', '-y', '-qq', '--no-install-recommends', '--download-only', 'pgbouncer'],
      options,
    )
    for (const archive of globSync(join(archives, '*.deb'))) {
      execFileSync('/usr/bin/dpkg-deb', ['-x', archive, unpacked], options)
    }
    chmodSync(unpacked, 0o755)
  } catch (error) {
    process.stderr.write(`it could not be fetched: ${(error as Error).message}\n`)
  } finally {
    rmSync(archives, { recursive: true, force: true })
  }
}

/** `settings` are added to pgbouncer.ini. */
export async function startPgBouncer(url: string, settings: Record<string, string> = {}): Promise<PgBouncer> {
  const program = findPgBouncer() as string
  const { folder, user } = unprivileged('tillgate-pgbouncer-')
  const target = new URL(url)
  const port = await freePort()
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: sessionsOfPgBouncer,
    // By default it waits for 15 seconds before it looks again whether the database is back.
    server_login_retry: 1,
    ...settings,
  }
  writeFileSync(join(folder, 'users'), `"${target.username}" "${target.password}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${target.hostname} port=${target.port}`,
      '[pgbouncer]',
      ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  )
  const libraries = globSync(join(unpacked, 'usr/lib/*-linux-*')).join(':')
  let server: ChildProcess | null = null

  async function start(): Promise<void> {
    server = spawn(program, [join(folder, 'pgbouncer.ini')], {
      ...user,
      env: { ...process.env, LD_LIBRARY_PATH: libraries },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await ready(server)
    watch(server, folder)
  }
  async function stop(): Promise<void> {
    if (!server) return
    server.ref()
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
    server = null
  }
  await start()
  return {
    url: Object.assign(new URL(url), { port }).href,
    start,
    stop,
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ready(server: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', chunk => {
      log = (log + chunk).slice(-10_000)
      if (log.includes('process up')) resolve()
    })
    server.once('exit', code => reject(new Error(`pgbouncer ended with ${code}: ${log}`)))
  })
  server.unref()
  ;(server.stderr as Socket).unref()
}
