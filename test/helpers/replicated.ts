import { once } from 'node:events'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { administer } from './postgres-admin.ts'
import { createServer, type PostgresServer } from './postgres-server.ts'
import { migrate } from './storage.ts'

/** A PostgreSQL and its hot standby, which follows it over streaming replication. */
export interface Pair {
  primary: PostgresServer
  standby: PostgresServer
  /** A database of both, with the schema and no rows. */
  database(): Promise<Replicated>
  /** Resolves when the standby shows all that was committed until now. */
  caughtUp(): Promise<void>
  /** From now on the standby stands still. */
  pause(): Promise<void>
  resume(): Promise<void>
  remove(): Promise<void>
}

interface Replicated {
  url: string
  read_database: string
}

export async function startPair(): Promise<Pair> {
  // Only where a database asks for it does a commit wait until the standby shows it.
  const flags = ['-c', 'synchronous_standby_names=*', '-c', 'synchronous_commit=local']
  const primary = await createServer({ flags })
  await primary.start()
  await primary.stop()
  const standby = await createServer({ standbyOf: primary })
  await primary.start()
  await standby.start()

  let databases = 0
  // Copied in a fraction of the time that a migration takes.
  const template = 'replicated'
  await administer(primary.url, `create database ${template}`)
  await migrate(new URL(template, primary.url).href)

  async function caughtUp(): Promise<void> {
    const [now] = await administer(primary.url, 'select pg_current_wal_lsn() as lsn')
    const reached = `select pg_last_wal_replay_lsn() >= '${now?.['lsn']}' as reached`
    while ((await administer(standby.url, reached))[0]?.['reached'] !== true) await sleep(10)
  }

  return {
    primary,
    standby,
    caughtUp,
    async database() {
      const name = `replicated_${++databases}`
      await administer(primary.url, `create database ${name} template ${template}`)
      await caughtUp()
      return { url: new URL(name, primary.url).href, read_database: new URL(name, standby.url).href }
    },
    async pause() {
      await caughtUp()
      await administer(standby.url, 'select pg_wal_replay_pause()')
      const state = 'select pg_get_wal_replay_pause_state() as state'
      while ((await administer(standby.url, state))[0]?.['state'] !== 'paused') await sleep(10)
    },
    async resume() {
      await administer(standby.url, 'select pg_wal_replay_resume()')
      await caughtUp()
    },
    async remove() {
      await standby.remove()
      await primary.remove()
    },
  }
}

/** A way to a server that can fall silent without ending any connection, as a network does. */
export interface Wire {
  url: string
  silent: boolean
  /** How often a client has spoken after the server did, or first: each is a round trip. */
  turns: number
  /** Ends every connection; new ones are accepted. */
  cut(): void
  close(): void
}

export async function startWire(url: string): Promise<Wire> {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  const wire: Wire = { url: '', silent: false, turns: 0, cut, close }
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', bytes => wire.silent || to.write(bytes))
    from.on('close', () => to.destroy())
    from.on('error', () => {})
  }
  const server: Server = createTcpServer(client => {
    const upstream = connect(Number(port), hostname)
    let asked = false
    client.on('data', () => {
      if (!asked) wire.turns += 1
      asked = true
    })
    upstream.on('data', () => {
      asked = false
    })
    pass(client, upstream)
    pass(upstream, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  wire.url = Object.assign(new URL(url), { port: (server.address() as { port: number }).port }).href
  function cut(): void {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  function close(): void {
    server.close()
    cut()
  }
  return wire
}
