import type { Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import postgres from 'postgres'
import { StorageUnavailable } from '../../port/index.ts'
import { readInteger } from '../../shared/integers.ts'
import type { Settings } from './settings.ts'
import { openSocket } from './socket.ts'
import { encode, type Value } from './values.ts'

/** The values of a row as the server sends them. */
export type RawRow = (Buffer | null)[]
export type Rows<Row> = Row[] & { count: number; command: string }

export interface Connection {
  /** Sends a statement without waiting for those before it; the server runs them in this order. */
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** The same, with the values as bytes. */
  raw(sql: string, values: readonly Value[]): Promise<RawRow[]>
  /** Statements without values, several at once. */
  script(sql: string): Promise<{ command: string }>
  /** While `work` runs, a silent server does not count as gone. */
  withoutTimeout<T>(work: () => Promise<T>): Promise<T>
  /** Whether such work runs. */
  readonly unlimited: boolean
  /** Since when statements wait for an answer; null when none does, or when the server may be silent. */
  readonly waitingSince: number | null
  /** When the server answered last. */
  readonly answeredAt: number
  readonly lost: boolean
  readonly openedAt: number
  onLost(listener: () => void): void
  /** Ends the session; statements that are running fail. */
  destroy(): void
}

const connectionLost = () => new StorageUnavailable('the connection to the database was lost')

/** Milliseconds beyond the statement timeout after which a silent server counts as gone. */
const grace = 1000

/**
 * One session over one socket, which never reconnects. The driver would reconnect by itself, even inside a
 * transaction, and 3.4.9 can hang or crash then (porsager/postgres#1208, #1214, #1215). So each session has a driver
 * of its own that ends with its socket, and the pool opens another.
 */
export async function connect(settings: Settings, session: Record<string, string>): Promise<Connection> {
  const socket = await openSocket(settings)
  let lost = false
  let unlimited = 0
  let waitingSince = 0
  let answeredAt = 0
  let listener = () => {}
  /** Rejects the statements without a result. The driver forgets some of them when its socket closes. */
  const pending = new Set<(error: unknown) => void>()
  const watchdog = setTimeout(() => {
    if (pending.size === 0 || unlimited > 0) return
    socket.destroy()
    end()
  }, settings.statement_timeout + grace).unref()

  const driver = createDriver(settings, session, socket, end)
  // The driver adds its listener one iteration of the event loop later: too late if the server hangs up at once.
  socket.on('error', () => {})
  // On `end` too: until `close` the pool would still lend a connection that the server has ended.
  socket.on('end', end)
  socket.on('close', end)

  function end(): void {
    if (lost) return
    lost = true
    clearTimeout(watchdog)
    for (const fail of pending) fail(connectionLost())
    pending.clear()
    void driver.end({ timeout: 0 })
    // The driver sends Terminate first; the socket closes even if the server does not react.
    setTimeout(() => socket.destroy(), grace).unref()
    listener()
  }

  function watched<T>(send: () => Promise<T>): Promise<T> {
    // A driver whose socket has closed would open another one.
    if (lost) return Promise.reject(connectionLost())
    return new Promise((resolve, reject) => {
      if (pending.size === 0) waitingSince = performance.now()
      pending.add(reject)
      watchdog.refresh()
      const settled = () => {
        pending.delete(reject)
        if (lost) return
        watchdog.refresh()
        answeredAt = waitingSince = performance.now()
      }
      send().finally(settled).then(resolve, reject)
    })
  }

  const connection: Connection = {
    query: <Row>(sql: string, values: readonly Value[] = []) =>
      watched(
        () => driver.unsafe(sql, values.map(encode), { prepare: true }) as unknown as Promise<Rows<Row>>,
      ),
    raw: (sql, values) =>
      watched(
        () => driver.unsafe(sql, values.map(encode), { prepare: true }).raw() as unknown as Promise<RawRow[]>,
      ),
    script: sql => watched(() => driver.unsafe(sql).simple() as unknown as Promise<{ command: string }>),
    async withoutTimeout(work) {
      unlimited += 1
      try {
        return await work()
      } finally {
        unlimited -= 1
      }
    },
    get unlimited() {
      return unlimited > 0
    },
    get waitingSince() {
      return pending.size === 0 || unlimited > 0 ? null : waitingSince
    },
    get answeredAt() {
      return answeredAt
    },
    get lost() {
      return lost
    },
    openedAt: performance.now(),
    onLost: added => {
      listener = added
    },
    destroy: end,
  }
  try {
    await connection.script('select 1')
    return connection
  } catch (error) {
    end()
    throw error
  }
}

function createDriver(
  { address, database, username, password, ssl, prepare, connect_timeout }: Settings,
  session: Record<string, string>,
  socket: Socket,
  onclose: () => void,
) {
  let taken = false
  const options = {
    ...address,
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ssl: ssl === 'verify-full' ? verifying(address) : ssl,
    prepare: prepare ?? false,
    max: 1,
    connect_timeout: connect_timeout / 1000,
    // Both could end the session between two statements of a transaction.
    idle_timeout: undefined,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: 'tillgate', ...session },
    types: { bigint: postgres.BigInt },
    transform: { value: toDeclaredType },
    onnotice: () => {},
    onclose,
    socket: () => {
      if (taken) throw connectionLost()
      taken = true
      return socket
    },
  }
  // The driver documents `socket`, but its types lack it.
  return postgres(options as unknown as postgres.Options<Record<string, postgres.PostgresType>>)
}

/** For a server known by its IP address, the driver would compare the certificate with "localhost". */
const verifying = (address: Settings['address']) => ({
  checkServerIdentity: (_: string, certificate: PeerCertificate) =>
    checkServerIdentity('host' in address ? address.host : 'localhost', certificate),
})

const toDeclaredType = (value: unknown, column: { name: string }): unknown =>
  typeof value === 'bigint' ? readInteger(value, column.name) : value
