import { type DemoOptions, type DemoRecord, demoRecords, neighbour, owner } from '../../demo/records.ts'
import { demoLogo } from '../../demo/logos.ts'
import type { OrderRecord } from '../../contract/record.ts'
import { createAccounts } from '../../domain/accounts/accounts.ts'
import { createApps, type NewApp } from '../../domain/apps/apps.ts'
import { createLogos } from '../../domain/brand/logos.ts'
import { createRecordWriter } from '../../ingest/record-writer.ts'
import { systemClock } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import type { Role, Storage } from '../../storage/port/index.ts'
import { createProgress } from '../shared/progress.ts'
import { byCommand } from '../shared/command.ts'

export interface Login {
  email: string
  password: string
}

interface Client {
  client_id: string
  client_secret: string
}

interface DemoStore {
  id: number
  name: string
  timezone: string
  merchant: string | null
}

/** The output of --json. */
export interface Demo {
  app: Client
  platform: Client
  merchant: Login
  developer: Login
  operator: Login
  stores: DemoStore[]
}

/** Everything that the guide prints. */
export interface FilledDemo {
  demo: Demo
  /** Another merchant, who has other stores. */
  neighbour: Login
  /** Harbour Ledger, which no store is linked to: a merchant connects it. */
  ledger: Client
  /** When each store's last order was created: the guide shows a window that has orders. */
  last_order: Record<number, string>
}

/** For an app of your own in the place of the dashboard. */
const dashboardRedirectUri = 'http://127.0.0.1:8080/callback'

export const ledgerProfile = {
  name: 'Harbour Ledger',
  publisher: 'Harbour Software',
  website: 'https://ledger.example/',
}
const batchSize = 1000
const developerEmail = 'developer@demo.example'
const operatorEmail = 'operator@demo.example'

/**
 * Fills an empty database: accounts and their apps, then records by the ordinary ingest path. `begun` is called before the
 * records, so that an interrupted demo is known as one.
 */
export async function fillDemo(
  storage: Storage,
  options: DemoOptions,
  begun: (filled: FilledDemo) => void = () => {},
): Promise<FilledDemo> {
  // Random passwords, because the demo may be reachable from other machines and its source is public.
  const accounts = createAccounts({ storage, clock: systemClock })
  const create = async (email: string, role: Role): Promise<Login & { id: string }> => {
    const password = randomId()
    const { id } = await accounts.create({ email, role, password }, byCommand())
    return { id, email, password }
  }
  const { id: owner_id, ...developer } = await create(developerEmail, 'developer')
  const { id: _operator, ...operator } = await create(operatorEmail, 'operator')
  const { id: _owner, ...merchant } = await create(owner, 'merchant')
  const { id: _neighbour, ...other } = await create(neighbour, 'merchant')

  const apps = createApps({ storage, clock: systemClock })
  const app = await createClient(apps, {
    name: 'Demo dashboard',
    publisher: 'Harbour Software',
    website: 'https://dashboard.example/',
    redirect_uris: [dashboardRedirectUri],
    scope: null,
    owner_id,
  })
  // Its redirect URI names the port that it gets when it runs.
  const ledger = await createClient(apps, { ...ledgerProfile, redirect_uris: [], scope: null, owner_id })
  const logos = createLogos({ storage, clock: systemClock })
  await logos.upload(app.client_id, demoLogo('dashboard'), byCommand())
  await logos.upload(ledger.client_id, demoLogo('ledger'), byCommand())
  const platform = await createClient(apps, {
    name: 'Demo tills',
    redirect_uris: [],
    scope: 'platform.write',
    owner_id: null,
  })
  const logins = { app, platform, merchant, developer, operator }
  begun({ demo: { ...logins, stores: [] }, neighbour: other, ledger, last_order: {} })
  const { stores, last_order } = await writeRecords(storage, demoRecords(options), options.orders)
  await apps.authorize(
    app.client_id,
    stores.map(({ id }) => BigInt(id)),
    byCommand(),
  )
  return {
    demo: { ...logins, stores },
    neighbour: other,
    ledger,
    last_order,
  }
}

/** Brings a demo's orders from the time where they end up to the present. */
export async function continueDemo(
  storage: Storage,
  filled: FilledDemo,
  orders: readonly OrderRecord[],
): Promise<FilledDemo> {
  const { last_order } = await writeRecords(storage, orders, orders.length)
  return { ...filled, last_order: { ...filled.last_order, ...last_order } }
}

async function writeRecords(storage: Storage, records: Iterable<DemoRecord>, total: number) {
  const writer = createRecordWriter({ storage })
  const progress = createProgress('demo', { total, unit: 'orders' })
  const stores: DemoStore[] = []
  const last_order: FilledDemo['last_order'] = {}
  let lines: { line: number; text: string }[] = []
  let orders = 0
  let line = 0

  async function flush(): Promise<void> {
    if (lines.length === 0) return
    await writer.write(lines, byCommand())
    progress.advance(orders)
    lines = []
    orders = 0
  }
  for (const record of records) {
    lines.push({ line: ++line, text: JSON.stringify(record) })
    if (record.kind === 'order') {
      orders++
      last_order[record.store_id] = record.created_at
    } else if (record.kind === 'store') {
      const { id, name, timezone, merchant } = record
      stores.push({ id, name, timezone, merchant })
    }
    if (lines.length === batchSize) await flush()
  }
  await flush()
  progress.done()
  return { stores, last_order }
}

async function createClient(
  apps: ReturnType<typeof createApps>,
  input: Omit<NewApp, 'public'>,
): Promise<Client> {
  const { app, client_secret } = await apps.create({ ...input, public: false }, byCommand())
  if (client_secret === null) throw new Error(`the app ${app.name} got no secret`)
  return { client_id: app.id, client_secret }
}
