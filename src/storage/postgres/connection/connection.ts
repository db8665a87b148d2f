import type { Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import postgres from 'postgres'
import { StorageUnavailable } from '../../port/index.ts'
import { readInteger } from '../../shared/integers.ts'
import type { Settings } from './settings.ts'
import { openSocket } from './socket.ts'
import { encode, type Value } from './values.ts'

/** The values of a row as the server sent them. */
export type RawRow = (Buffer | null)[]
export type Rows<Row> = Row[] & { count: number; command: string }

export interface Connection {
  /** Sends a statement without waiting for those before it; the server runs them in this order. */
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** The same, leaving the values as bytes. */
  raw(sql: string, values: readonly Value[]): Promise<RawRow[]>
  /** Statements without values, several at once. */
  script(sql: string): Promise<{ command: string }>
  /** For as long as `work` takes, silence of the server is no fault. */
  patiently<T>(work: () => Promise<T>): Promise<T>
  readonly lost: boolean
  readonly born: number
  onLost(listener: () => void): void
  /** Ends the session; what is under way fails. */
  destroy(): void
}

const gone = () => new StorageUnavailable('the connection to the database was lost')

/** How long the server may be silent beyond its own statement timeout, until it counts as gone. */
const grace = 1000

/**
 * One session over one socket, never connected anew. The driver would reconnect by itself, also in the middle of a
 * transaction, and 3.4.9 does so in ways that hang or end the process (porsager/postgres#1208, #1214, #1215). So each
 * session has a driver of its own, which dies with its socket, and the pool starts another.
 */
export async function connect(settings: Settings, session: Record<string, string>): Promise<Connection> {
  const socket = await openSocket(settings)
  let lost = false
  let patient = 0
  let listener = () => {}
  /** Fails what has no answer yet. The driver forgets some of it when its socket closes. */
  const pending = new Set<(error: unknown) => void>()
  const watchdog = setTimeout(() => {
    if (pending.size === 0 || patient > 0) return
    socket.destroy()
    end()
  }, settings.statement_timeout + grace).unref()

  const driver = createDriver(settings, session, socket, end)
  // The driver begins to listen a turn of the event loop later: too late for a server that hangs up at once.
  socket.on('error', () => {})
  // At the server's goodbye, not only when both sides are done: until then the pool would lend it.
  socket.on('end', end)
  socket.on('close', end)

  function end(): void {
    if (lost) return
    lost = true
    clearTimeout(watchdog)
    for (const fail of pending) fail(gone())
    pending.clear()
    void driver.end({ timeout: 0 })
    // Says goodbye first; a server that does not react loses the socket all the same.
    setTimeout(() => socket.destroy(), grace).unref()
    listener()
  }

  function watched<T>(send: () => Promise<T>): Promise<T> {
    // A driver whose socket has closed would ask for another one.
    if (lost) return Promise.reject(gone())
    return new Promise((resolve, reject) => {
      pending.add(reject)
      watchdog.refresh()
      const settled = () => {
        pending.delete(reject)
        if (!lost) watchdog.refresh()
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
    async patiently(work) {
      patient += 1
      try {
        return await work()
      } finally {
        patient -= 1
      }
    },
    get lost() {
      return lost
    },
    born: performance.now(),
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
    // Both would end the session also between two statements of a transaction.
    idle_timeout: undefined,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: 'tillgate', ...session },
    types: { bigint: postgres.BigInt },
    transform: { value: toDeclaredType },
    onnotice: () => {},
    onclose,
    socket: () => {
      if (taken) throw gone()
      taken = true
      return socket
    },
  }
  // `socket` is in the driver's code and readme, not in its types.
  return postgres(options as unknown as postgres.Options<Record<string, postgres.PostgresType>>)
}

/** The driver would compare the certificate of a server known by its IP address with "localhost". */
const verifying = (address: Settings['address']) => ({
  checkServerIdentity: (_: string, certificate: PeerCertificate) =>
    checkServerIdentity('host' in address ? address.host : 'localhost', certificate),
})

const toDeclaredType = (value: unknown, column: { name: string }): unknown =>
  typeof value === 'bigint' ? readInteger(value, column.name) : value
