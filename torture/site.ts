import { createAccounts } from '../src/domain/accounts/accounts.ts'
import { createApps } from '../src/domain/apps/apps.ts'
import { createRecordWriter } from '../src/ingest/record-writer.ts'
import { systemClock as clock } from '../src/lib/clock.ts'
import { openStorage } from '../src/storage/open.ts'
import { password } from '../test/helpers/answers.ts'
import { redirectUri } from '../test/helpers/authorize.ts'
import { byTest } from '../test/helpers/by.ts'
import { type Cli, createCli } from '../test/helpers/cli.ts'
import type { Client } from '../test/helpers/tills.ts'
import { createDatabase, type TortureDatabase } from './database.ts'
import type { EngineName } from './trial.ts'

/** A database with one merchant's stores, a client for the tills that pushes and an app that reads. */
export interface Site {
  cli: Cli
  database: TortureDatabase
  tills: Client
  reader: Client
  /** Apps that the merchant may grant access to its stores. */
  apps: Client[]
  remove(): Promise<void>
}

const owner = 'owner@example.com'

interface SiteOptions {
  database?: TortureDatabase
  stores?: readonly number[]
  apps?: number
}

export async function prepareSite(engine: EngineName, options: SiteOptions = {}): Promise<Site> {
  const { database = await createDatabase(engine), stores = [1, 2], apps: count = 0 } = options
  const cli = await createCli({ database: database.url })
  const storage = await openStorage(database.url)
  const apps = createApps({ storage, clock })
  const newApp = async (
    name: string,
    scope: string | null,
    redirect_uris: string[] = [],
  ): Promise<Client> => {
    const input = { name, scope, redirect_uris, public: false, owner_id: null }
    const { app, client_secret } = await apps.create(input, byTest)
    return { client_id: app.id, client_secret: client_secret ?? '' }
  }
  try {
    await createAccounts({ storage, clock }).create({ email: owner, role: 'merchant', password }, byTest)
    const lines = stores.map(
      id => `{"kind":"store","id":${id},"name":"Store ${id}","timezone":"UTC","merchant":"${owner}"}`,
    )
    const writer = createRecordWriter({ storage, clock })
    await writer.write(lines.map((text, i) => ({ line: i + 1, text })))
    const tills = await newApp('Tills', 'platform.write')
    const reader = await newApp('Reader', null)
    await apps.authorize(reader.client_id, stores.map(BigInt), byTest)
    return {
      cli,
      database,
      tills,
      reader,
      apps: await Promise.all(
        Array.from({ length: count }, (_, i) => newApp(`App ${i}`, null, [redirectUri])),
      ),
      async remove() {
        cli.remove()
        await database.remove()
      },
    }
  } finally {
    await storage.close()
  }
}
