import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createApps, unknownApp } from '../../domain/apps/apps.ts'
import { checkLogo, createLogos, logoRule } from '../../domain/brand/logos.ts'
import { systemClock } from '../../lib/clock.ts'
import { formatDatetime } from '../../lib/datetime.ts'
import { printable } from '../../lib/printable.ts'
import type { App, Storage } from '../../storage/port/index.ts'
import { byCommand, withStorage } from '../shared/command.ts'
import { missingFile } from '../shared/missing-file.ts'
import { print } from '../shared/output.ts'

/** False for the options that remove a value. */
interface UpdateOptions {
  name?: string
  website?: string | false
  publisher?: string | false
  redirectUri?: string[] | false
  logo?: string | false
  scope?: string
  json?: boolean
}

/** The commands that show what is known about an app, and change what its developer can change. */
export function registerProfile(app: Command): void {
  app
    .command('show')
    .description('show everything about an app, except its secrets')
    .argument('<client_id>')
    .option('--json', 'print the app as JSON')
    .action((client_id: string, { json }: { json?: boolean }) =>
      withStorage(async storage => show(storage, await mustFind(storage, client_id), json)),
    )

  const update = app
    .command('update')
    .description('change an app’s name, website, publisher, redirect URIs, scopes or logo')
    .argument('<client_id>')
    .option('--name <name>', 'what merchants see on the consent page')
    .option('--website <url>', 'the app’s website; merchants see it')
    .option('--no-website', 'remove the website')
    .option('--publisher <name>', 'the company behind the app; merchants see it')
    .option('--no-publisher', 'remove the publisher')
    .option('--redirect-uri <uri>', 'replaces all redirect URIs; may be repeated', collect)
    .option('--no-redirect-uri', 'remove all redirect URIs')
    .option('--logo <file>', `${logoRule}; merchants see it`)
    .option('--no-logo', 'remove the logo')
    .option(
      '--scope <scopes>',
      'replaces all scopes, space-delimited; for a new scope, merchants connect the app again and linked stores are authorized again',
    )
    .option('--json', 'print the changed app as JSON')
  update.action(async (client_id: string, { json, logo, ...changes }: UpdateOptions) => {
    if (logo === undefined && Object.keys(changes).length === 0) {
      update.error(
        'error: nothing to change: use --name, --website, --publisher, --redirect-uri, --scope or --logo',
      )
    }
    await withStorage(async storage => {
      const before = await mustFind(storage, client_id)
      const { name = before.name, website = before.website, publisher = before.publisher } = changes
      const { redirectUri = before.redirect_uris, scope = before.scope } = changes
      const profile = {
        name,
        website: website || null,
        publisher: publisher || null,
        redirect_uris: redirectUri || [],
        scope,
      }
      const services = { storage, clock: systemClock }
      // Checked before anything changes.
      const image = logo ? await readFile(logo).catch(missingFile(logo)) : null
      if (image) checkLogo(image)
      if (Object.keys(changes).length > 0) await createApps(services).change(client_id, profile, byCommand())
      if (image) await createLogos(services).upload(client_id, image, byCommand())
      if (logo === false) await createLogos(services).remove(client_id, byCommand())
      await show(storage, await mustFind(storage, client_id), json)
    })
  })
}

async function mustFind(storage: Storage, client_id: string): Promise<App> {
  const found = await storage.apps.find(client_id)
  if (!found) throw unknownApp(client_id)
  return found
}

/** A repeated option; `--no-redirect-uri` before it has no effect then. */
const collect = (value: string, before: string[] | boolean = []): string[] =>
  Array.isArray(before) ? [...before, value] : [value]

async function show(storage: Storage, app: App, json: boolean | undefined): Promise<void> {
  const [owner, secrets, reach] = await Promise.all([
    app.owner_id === null ? null : storage.accounts.find(app.owner_id),
    storage.apps.secrets(app.id),
    storage.browse.reachOf(app.id),
  ])
  const time = (seconds: number | null) => (seconds === null ? null : formatDatetime(seconds))
  const shown = {
    client_id: app.id,
    name: app.name,
    website: app.website,
    publisher: app.publisher,
    logo: app.logo !== null,
    scope: app.scope,
    redirect_uris: app.redirect_uris,
    public: app.public,
    developer: owner?.email ?? null,
    created_at: time(app.created_at),
    disabled_at: time(app.disabled_at),
    disabled_by_developer: app.disabled_by_owner,
    stores: reach.stores,
    merchants: reach.merchants,
    linked_by_operator: reach.linked,
    secrets: secrets.map(({ created_at, last_used_at }) => ({
      created_at: time(created_at),
      last_used_at: time(last_used_at),
    })),
  }
  const { secrets: times, ...facts } = shown
  const inText = {
    ...facts,
    secrets: times.map(each => `created ${each.created_at}, last used ${each.last_used_at ?? 'never'}`),
  }
  print(json, shown, Object.entries(inText).map(asLine).join('\n'))
}

type Value = string | number | boolean | null | readonly string[]

function asLine([name, value]: [string, Value]): string {
  const text = Array.isArray(value)
    ? value.join('; ')
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : value
  return `${name.padEnd(nameWidth)}  ${printable(String(text ?? '')) || '-'}`
}

/** Of the longest name. */
const nameWidth = 'disabled_by_developer'.length
