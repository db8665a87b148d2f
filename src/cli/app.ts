import { type Command, InvalidArgumentError } from 'commander'
import { type Apps, createApps } from '../domain/apps/apps.ts'
import { systemClock } from '../lib/clock.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { rawNumber } from '../lib/exact-json.ts'
import { parseInt64 } from '../lib/int64.ts'
import type { App } from '../storage/port/index.ts'
import { registerProfile } from './app/profile.ts'
import { byCommand, withStorage } from './shared/command.ts'
import { note, print } from './shared/output.ts'
import { table } from './shared/table.ts'

interface CreateOptions {
  name: string
  website?: string
  publisher?: string
  redirectUri?: string[]
  scope?: string
  public?: boolean
  json?: boolean
}

export function registerApp(program: Command): void {
  const app = program.command('app').description('manage the apps that read data over the API')
  const shownOnce = 'The client_secret is shown only once; keep it in a safe place.'

  app
    .command('create')
    .description('register an app; prints its client_id and, once, its client_secret')
    .requiredOption('--name <name>', 'what merchants see on the consent page')
    .option('--website <url>', 'the app’s website; merchants see it')
    .option('--publisher <name>', 'the company behind the app; merchants see it')
    .option('--redirect-uri <uri>', 'where merchants return to after consent; may be repeated', collect)
    .option('--scope <scopes>', 'space-delimited scopes (default: all integration scopes)')
    .option('--public', 'an app that cannot keep a secret: it gets none and must use PKCE')
    .option('--json', 'print the app as JSON')
    .action(async (options: CreateOptions) => {
      const { name, website, publisher, redirectUri = [], scope, public: isPublic = false, json } = options
      const input = {
        name,
        website,
        publisher,
        redirect_uris: redirectUri,
        scope: scope ?? null,
        public: isPublic,
        owner_id: null,
      }
      const { app: made, client_secret } = await withApps(apps => apps.create(input, byCommand()))
      const { id: client_id, redirect_uris } = made
      const result = { client_id, client_secret, name: made.name, scope: made.scope, redirect_uris }
      print(json, result, credentials(client_id, client_secret))
      if (client_secret !== null) note(shownOnce)
    })

  registerProfile(app)

  app
    .command('rotate-secret')
    .description('give an app a new secret; the previous one works until the next rotation')
    .argument('<client_id>')
    .option('--json', 'print the secret as JSON')
    .action(async (client_id: string, { json }: { json?: boolean }) => {
      const client_secret = await withApps(apps => apps.rotateSecret(client_id, byCommand()))
      print(json, { client_id, client_secret }, credentials(client_id, client_secret))
      note(shownOnce)
    })

  app
    .command('authorize')
    .description('link stores to an app without the consent page, for first-party use')
    .argument('<client_id>')
    .requiredOption('--store <id...>', 'store to link; may be repeated', collectStore)
    .option('--json', 'print the linked stores as JSON')
    .action(async (client_id: string, { store, json }: { store: bigint[]; json?: boolean }) => {
      await withApps(apps => apps.authorize(client_id, store, byCommand()))
      const result = { client_id, stores: store.map(id => rawNumber(String(id))) }
      print(json, result, `the app ${client_id} may read ${storeList(store)}`)
    })

  app
    .command('revoke')
    .description('end an app’s access to the named stores, or to all stores when none is named')
    .argument('<client_id>')
    .option('--store <id...>', 'store to revoke; may be repeated', collectStore)
    .option('--json', 'print how many authorizations changed as JSON')
    .action(async (client_id: string, { store, json }: { store?: bigint[]; json?: boolean }) => {
      const revoked = await withApps(apps => apps.revoke(client_id, store ?? null, byCommand()))
      const what = store ? storeList(store) : 'any store'
      print(json, { client_id, revoked }, `the app ${client_id} may no longer read ${what}`)
    })

  const switches = [
    { name: 'disable', disabled: true, description: 'refuse an app’s tokens and issue no new ones' },
    {
      name: 'enable',
      disabled: false,
      description: 'let a disabled app work again, with the tokens that it still has',
    },
  ]
  for (const { name, disabled, description } of switches) {
    app
      .command(name)
      .description(description)
      .argument('<client_id>')
      .option('--json', 'print the app’s state as JSON')
      .action(async (client_id: string, { json }: { json?: boolean }) => {
        await withApps(apps => apps.setDisabled(client_id, disabled, byCommand()))
        print(json, { client_id, disabled }, `the app ${client_id} is ${name}d`)
      })
  }

  app
    .command('list')
    .description('list all apps, oldest first')
    .option('--json', 'print the apps as a JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const apps = (await withApps(apps => apps.list())).map(toRow)
      print(json, apps, apps.length > 0 ? table(apps) : 'no apps yet')
    })
}

const withApps = <T>(use: (apps: Apps) => Promise<T>): Promise<T> =>
  withStorage(storage => use(createApps({ storage, clock: systemClock })))

const collect = (value: string, before: string[] = []): string[] => [...before, value]

function collectStore(text: string, before: bigint[] = []): bigint[] {
  const id = parseInt64(text)
  if (id === null) throw new InvalidArgumentError('A store id is a whole number of at most 64 bits.')
  return before.includes(id) ? before : [...before, id]
}

const storeList = (ids: readonly bigint[]): string =>
  `${ids.length === 1 ? 'store' : 'stores'} ${ids.join(', ')}`

function credentials(client_id: string, client_secret: string | null): string {
  const first = `client_id      ${client_id}`
  return client_secret === null ? first : `${first}\nclient_secret  ${client_secret}`
}

function toRow(app: App) {
  return {
    client_id: app.id,
    name: app.name,
    scope: app.scope,
    redirect_uris: app.redirect_uris,
    public: app.public,
    created_at: formatDatetime(app.created_at),
    disabled: app.disabled_at !== null,
  }
}
